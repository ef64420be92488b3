// Where the model of the next turn is chosen.

export const modelChoice = {
  model: 'Model',
  none: 'No model',
  noEndpoint: 'None',
  demo: 'Demo, scripted',
  demoLong: 'Demo, scripted and offline',
  current: (label: string) => `Model: ${label}`,
  endpoint: 'Endpoint',
  favourites: 'Favourites',
  favourite: (model: string) => `${model} is a favourite`,
  noList: (trouble: string) => `The list of models did not load. ${trouble}`,
  connect: 'Connect another model',
};
