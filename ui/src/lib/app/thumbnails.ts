// Small pictures of images: a whole one takes many times the memory while it is shown.

/** Pixels of a side: twice what it is shown with, for a dense screen. */
const SIDE = 64;

/** The middle of a picture as a small square. Rejects where it cannot be drawn. */
export async function thumbnailOf(data: string): Promise<string> {
  const image = new Image();
  image.src = data;
  await image.decode();
  const { naturalWidth: width, naturalHeight: height } = image;
  const side = Math.min(width, height);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = SIDE;
  canvas.getContext('2d')?.drawImage(image, (width - side) / 2, (height - side) / 2, side, side, 0, 0, SIDE, SIDE);
  return canvas.toDataURL('image/png');
}
