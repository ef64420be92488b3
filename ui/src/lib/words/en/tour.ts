// The tour: four live scenes in a sample folder. Each has words for while it plays and for when it has.

export const tour = {
  label: 'Tour',
  step: (number: number, of: number) => `${number} of ${of}`,
  leave: 'Leave the tour',
  ownFolder: 'Open your own folder',
  backTo: (project: string) => `Go to ${project}`,
  connect: 'Connect a model',
  playing: 'Playing…',
  unsent: 'Its message could not be sent. Try it again, or leave the tour.',
  scenes: {
    stuck: {
      title: 'It gets stuck',
      plays: 'The demo model asks for the same file again and again. A repeat is not run, and each one is counted.',
      played: 'Then its tools were taken away, and it had to answer. No model can go in circles for ever.',
    },
    write: {
      title: 'It wants to write',
      plays: 'It may propose a file. You see every change, and nothing is on the disk yet.',
      rejects: 'The tour turns the second change down …',
      approves: '… and approves the first one. In your folders only you do that.',
      played: 'One change is in the file, and the other is not.',
    },
    back: {
      title: 'Take it back',
      plays: 'This is what goes back: the message, and the file that was written.',
      played: 'File and conversation are as they were before. Undo brings both back.',
    },
    inside: {
      title: 'Look inside',
      plays: 'This is what the model was sent, word for word.',
      played: 'Each step of a turn opens to what was sent and to what came back. Now with your files.',
    },
  },
};
