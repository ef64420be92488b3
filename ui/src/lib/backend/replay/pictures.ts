// Pictures of the project that is replayed.

import type { PictureView } from '$lib/generated/PictureView';
import { error } from './fixtures';

const DEN =
  'iVBORw0KGgoAAAANSUhEUgAAAPAAAACHCAIAAACnEEO8AAADJ0lEQVR42u3SW3LTBRjG4W8lXnjlirxmIS6mtLRNmjRp0qQcej6IogiKopzPiMuQS2YYoEObNP83z8yzgvf91X8nCxCjTEBU0O9OFiBGvTtegBj17/FliCFosoJ+e3QZYgiarKDfHC1CjHpzuAgx6vXhIsQQNFlBvzpYghiCJivolwdLEKNe7i9BjHqxfwViCJqsoJ/vXYEYgiYr6Gd7yxCjnu0uQ4x6ursMMQRNVtBPdlYghqDJCvrxzgrEqMfbKxCjHm2vQgxBkxX0wxurEEPQZAX94EYLYtSD6y2IUf9cb0EMQZMV9N/X2hBD0GQFff9aG2LU/attiFF/XV2DGIImK+g/t9YghqDJCvreVgdi1L1xB2LUH+MOxBA0WUH/PupCDEGTFfTdURdi1N3NLsSoO5vrEEPQZAX923AdYgiarKBvD3sQo24PehCjfh30IIagyQr6l40+xBA0WUHf2uhDjLrV7/NFl374fhY44ovq5/4G781IsmfhxPdKu9nmLuifehvZ5irf08i+uxSs76igb/YGTSfKc9T0GOrm+qCJlDeNuBsYRv24PmgEeV24RnRSIiYp7jrpDmeNXBpk1uIpEZMUdx13hxdIBJEusKg67gynz+XzUvbU06qjzubUOHhuTa2x0jFJZdfh2uaEOI/PmFB1pWOSyq6DtdG5cAxndC4d1kF7dEae4DyzPluNtd8efR3TM1Ffl2VJmaSsa681PiXjcoFOWWlJmaSsa7c1/hTzMbM+FW3tro4/Zi+akfVH6dbO6taHbETjfBhwSZmkrGt7RcoT8d03336eiSahTDC1gvUt6PyOlS3o2JRlLejAlGUt6MCUZS3ozJo1LeiolGUt6MyaNS3otJo1Lei0mjUt6LSaNS1oQQtazTPPTYLOqVnTgha0oAUtaEGrWdOCFrSgBS1oQQta0IIWtKAFLWhBC1rQgha0oBG0oAUtaEELWtCCFrSm1SxoQSNoQQta02oWtKbVLGhBC1rQc9C0awSd07RTBJ3TtDsEndO0IwQdkrXxBZ3TtNkFHZK1qQUdkrV5BR2StUkFnVC2AQXd7L5NNAn/A5k5nAAJnV7vAAAAAElFTkSuQmCC';

export const isPicture = (path: string): boolean => path === 'docs/den.png';

export function pictureOf(path: string): PictureView {
  if (path === 'docs/den.svg')
    throw error(
      'usage',
      '`docs/den.svg` is not a picture that Orion can show.',
      'Orion shows PNG, JPEG, GIF and WebP. Open others in another program.',
    );
  if (!isPicture(path)) throw error('path_not_found', `There is no \`${path}\`.`, 'Check the name.');
  return { path, kind: 'image/png', bytes: 864, width: 240, height: 135, data: DEN };
}
