// Connecting a model.

import { number } from '$lib/model/words';

export const connect = {
  title: 'Connect a model',
  known: 'Known endpoints',
  answersHere: 'answers here',
  address: 'Address',
  addressExample: 'https://api.example.com/v1',
  inClear: 'Send messages unencrypted. Everyone on the network can read them.',
  key: 'Key',
  inKeychain: "Kept in this computer's keychain, never in a file.",
  notKept:
    'This computer has no keychain, so Orion forgets the key when it closes. To keep it, put it in an environment variable.',
  model: 'Model',
  more: 'More',
  variable: 'Environment variable with the key, instead of a key',
  name: 'Name in Orion',
  testing: 'Testing the connection…',
  connected: (models: string) => `Connected, ${models} available.`,
  unlisted: (model: string, models: string) => `The connection works, but ${model} is not among its ${models}.`,
  chooseListed: 'Choose one of them, or save it anyway.',
  noModels: 'The connection works, but the endpoint lists no models.',
  saveAnyway: 'Save anyway',
  test: 'Test connection',
  cancel: 'Cancel',
  save: 'Save',
  done: 'Done',
  lost: (endpoint: string) => `The key of ${endpoint} is gone.`,
  lostWhy: 'This computer has no keychain, so Orion forgot the key when it closed.',
  unset: (endpoint: string, variable: string) => `The key of ${endpoint} is not there: ${variable} is not set.`,
  unsetWhy: 'Set the variable and start Orion again, or enter the key.',
  enterKey: 'Enter the key',
};

/** An endpoint while a person writes it. */
export const endpointDraft = {
  noKeyNeeded: 'None needed',
  keyFrom: (variable: string) => `If empty, ${variable} is used`,
  keepKey: 'Leave empty to keep the current key',
  keyAgain: 'The server changed: enter the key again',
  noAddress: 'Give the address.',
  badAddress: 'This is not an address: it begins with https:// or http://.',
  noModel: 'Give the model.',
  inClear: 'Confirm that messages travel unencrypted, or use https.',
  window: (least: number, most: number) => `A window is a whole number from ${number(least)} to ${number(most)}.`,
  longest: (least: number, most: number) =>
    `A longest answer is a whole number from ${number(least)} to ${number(most)}.`,
  nameModel: 'Name the model that has these sizes.',
  keys: {
    none: 'No key',
    keychain: 'Key in the keychain',
    environment: (variable: string) => `Key from ${variable}`,
    memory: 'Key kept until the window closes',
    lost: 'Key gone: enter it again',
    unset: (variable: string) => `Key missing: ${variable} is not set`,
  },
};
