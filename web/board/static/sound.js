// Sounds, made by the Web Audio API: a knock for a move, two for a capture, a chord at the end of
// the game, two beeps when a clock is low.

// tones are the parts of a sound: frequency in hertz, begin and length in seconds, loudness in
// [0,1], and the shape of the wave.
const tones = {
  move: [[220, 0, 0.09, 0.5, "triangle"], [1400, 0, 0.02, 0.15, "square"]],
  capture: [[220, 0, 0.07, 0.5, "triangle"], [165, 0.08, 0.11, 0.6, "triangle"], [1400, 0.08, 0.02, 0.15, "square"]],
  end: [[262, 0, 0.6, 0.25, "sine"], [330, 0.12, 0.6, 0.25, "sine"], [392, 0.24, 0.7, 0.25, "sine"]],
  low: [[880, 0, 0.1, 0.3, "sine"], [880, 0.18, 0.1, 0.3, "sine"]],
};

// build adds a sound to an audio context; it begins at once.
export function build(context, name) {
  for (const [frequency, begin, length, loudness, type] of tones[name]) {
    const at = context.currentTime + begin;
    const wave = new OscillatorNode(context, { type, frequency }), volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(loudness, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    wave.connect(volume).connect(context.destination);
    wave.start(at);
    wave.stop(at + length);
  }
}

let context = null;

// sound plays a sound. A browser plays none before the person has used the page.
export async function sound(name) {
  context ??= new AudioContext();
  if (context.state === "suspended") await context.resume().catch(() => {});
  if (context.state === "running") build(context, name);
}
