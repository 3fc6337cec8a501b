// colours.js - the scale of the mesh, and a colour for a message.
//
// The scale goes from the page's ground through blue and green to yellow with evenly growing
// lightness, which readers who cannot tell red from green see as well; in a dark page it begins
// dark, in a light one pale.

const SCALE_LIGHT = [[246, 244, 239], [205, 222, 222], [138, 188, 196], [70, 146, 172], [42, 102, 150], [46, 54, 116], [38, 14, 66]];
const SCALE_DARK = [[27, 30, 36], [45, 46, 96], [48, 84, 140], [44, 126, 148], [62, 168, 132], [148, 204, 92], [250, 231, 96]];
const SCALE_STEPS = 256;

const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;

// [r, g, b] of a part from 0 to 1 of the scale.
function colourAt(part) {
  const scale = isDark() ? SCALE_DARK : SCALE_LIGHT;
  const place = Math.min(1, Math.max(0, part)) * (scale.length - 1), low = Math.min(scale.length - 2, Math.floor(place));
  return [0, 1, 2].map((i) => Math.round(scale[low][i] + (scale[low + 1][i] - scale[low][i]) * (place - low)));
}

// The scale as pixels; 0 is apart, so that one packet can be told from none.
function scalePixels() {
  const pixels = new Uint32Array(SCALE_STEPS), bytes = new Uint8Array(pixels.buffer);
  for (let i = 0; i < SCALE_STEPS; i++) {
    const [r, g, b] = colourAt(i === 0 ? 0 : 0.16 + 0.84 * (i / (SCALE_STEPS - 1)));
    bytes.set([r, g, b, 255], i * 4);
  }
  return pixels;
}

function pageColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Messages that come one after the other get colours far apart.
function messageColour(message) {
  return `hsl(${(message * 137.508) % 360} ${isDark() ? '65% 65%' : '60% 40%'})`;
}
