// Plays a run: asks for frames, keeps them, draws the one of the moment.

import { COLOURS, Stage } from "/stage.js";
import { Plots, short } from "/plots.js";

const $ = (id) => document.getElementById(id);
const MOST_BYTES = 1.5e9; // of frames that are kept
const AHEAD = 12; // frames that are fetched before they are shown
const AT_ONCE = 4; // requests for them at the same time
const SLOW = 40, QUICK = 25; // milliseconds between pictures: above, less is drawn; below, more
const FEWEST = 4000; // particles that are always drawn
const AT_FIRST = 15000; // particles that moving pictures begin with where there is no graphics card
const COARSEST = 0.4; // of the pixels along a side, where fewer particles alone do not help
const fetched = async (path) => {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
};

const run = await (await fetched("/run.json")).json();
const stage = new Stage($("scene"), run.bounds, run.camera);
const plots = new Plots($("plots"), (time) => show(nearest(time)));
const frames = new Map(), surfaces = new Map(), places = new Map(), asked = new Set();
const scales = [[Infinity, -Infinity], [Infinity, -Infinity], [Infinity, -Infinity]];
const bodies = run.bodies.map(({ mesh, tint }) => {
  const { vertex, triangle } = run.meshes[mesh];
  return { mesh: stage.loadBody(vertex, triangle), tint };
});
const edges = stage.loadEdges(run.edges);
let [current, playing, moment, before, kept] = [0, false, 0, 0, 0];
let [share, pace, shown, turning, turnedAt] = [1, 0, 0, false, 0];

// How many particles of a frame are worth asking for: all for a picture that stands still, a half, a quarter, … for moving ones.
function wanted() {
  if (!playing && !turning) return run.most;
  const known = frames.get(current), needed = share * (known?.total ?? run.most);
  let most = run.most;
  while (most / 2 >= Math.max(needed, FEWEST)) most = Math.ceil(most / 2);
  return most;
}
const has = (k, most) => frames.has(k) && frames.get(k).count >= Math.min(most, frames.get(k).total);

const nearest = (time) => run.frames.reduce((best, f, k) => (Math.abs(f[1] - time) < Math.abs(run.frames[best][1] - time) ? k : best), 0);

async function load(k) {
  const number = run.frames[k]?.[0], most = wanted();
  if (number === undefined || has(k, most) || asked.has(k)) return;
  if (asked.size >= AT_ONCE && k !== current) return;
  asked.add(k);
  try {
    const [bytes, poses] = await Promise.all([
      fetched(`/frame/${number}?most=${most}`).then((a) => a.arrayBuffer()),
      run.bodies.length && !places.has(k) ? fetched(`/poses/${number}`).then((a) => a.json()) : places.get(k) ?? [],
    ]);
    forget(k);
    while (kept > MOST_BYTES && frames.size) forget(frames.keys().next().value);
    const frame = stage.load(bytes);
    kept += frame.bytes;
    frames.set(k, frame);
    places.set(k, poses);
    frame.ranges.forEach(([low, high], f) => { scales[f] = [Math.min(scales[f][0], low), Math.max(scales[f][1], high)]; });
  } finally {
    asked.delete(k);
  }
  // It may have been asked for as one of a moving picture that stands still by now.
  if (k === current && !has(k, wanted())) load(k);
  if (k === current) draw();
  if (playing) loadAhead();
}

function forget(k) {
  if (!frames.has(k)) return;
  kept -= frames.get(k).bytes;
  stage.forget(frames.get(k));
  frames.delete(k);
}

// What comes next is fetched in advance.
function loadAhead() {
  for (let ahead = 0; ahead < (playing ? AHEAD : 2); ahead += 1) load((current + ahead) % Math.max(run.frames.length, 1));
}

// Leaves particles out of moving pictures while they come too slowly for 20 a second, and makes them coarser where that is not
// enough; a picture that stands still has all. `passed` is the time since the browser was last ready for a picture, in milliseconds.
function adapt(passed) {
  // A page that was hidden had no pictures at all.
  const counted = Math.min(passed, 500);
  pace = pace ? 0.7 * pace + 0.3 * counted : counted;
  const least = Math.min(1, FEWEST / Math.max(frames.get(current)?.total ?? 1, 1));
  const less = Math.max(0.5, SLOW * 0.9 / pace);
  if (pace > SLOW && share > least) share = Math.max(least, share * less);
  else if (pace > SLOW) stage.fineness = Math.max(COARSEST, stage.fineness * Math.max(less, 0.8));
  else if (pace < QUICK && stage.fineness < 1) stage.fineness = Math.min(1, stage.fineness * 1.05);
  else if (pace < QUICK) share = Math.min(1, share * 1.05);
  Object.assign(document.body.dataset, { share: share.toFixed(3), fineness: stage.fineness.toFixed(2), shown });
}

async function loadSurface(k) {
  const key = `s${k}`;
  if (!run.surface || !run.frames[k] || surfaces.has(k) || asked.has(key)) return;
  asked.add(key);
  try {
    if (surfaces.size > 40) {
      const [oldest, surface] = surfaces.entries().next().value;
      stage.forget(surface);
      surfaces.delete(oldest);
    }
    surfaces.set(k, stage.loadSurface(await (await fetched(`/surface/${run.frames[k][0]}`)).arrayBuffer()));
  } finally {
    asked.delete(key);
  }
  if (k === current) draw();
}

function draw(inMotion = playing || turning) {
  const frame = frames.get(current), field = Number($("field").value);
  const time = run.frames[current]?.[1] ?? 0;
  stage.draw({
    frame: $("particles").checked && frame, share: inMotion ? share : 1, coarse: inMotion, surface: $("surface").checked && surfaces.get(current),
    bodies: $("bodies").checked ? bodies : [], poses: places.get(current) ?? [], field, scale: scales[field], spacing: run.spacing, edges,
  });
  const few = inMotion && share < 1 ? `, ${Math.round(100 * share)} % of the particles` : "";
  $("now").textContent = `t = ${time.toFixed(3)} s  (${current + 1} of ${run.frames.length}${few})`;
  [$("low").textContent, $("high").textContent] = scales[field].map((x) => (Number.isFinite(x) ? short(x) : ""));
  plots.draw(time);
}

function show(k) {
  current = Math.min(Math.max(k, 0), Math.max(run.frames.length - 1, 0));
  $("time").value = current;
  loadAhead();
  if ($("surface").checked) for (const k of playing ? [current, current + 1, current + 2] : [current]) loadSurface(k);
  draw();
}

function tick(now) {
  if (!playing) return;
  const start = run.frames[0][1], length = Math.max(run.frames.at(-1)[1] - start, 1e-9);
  const passed = moment + (now - before) / 1000 * Number($("speed").value);
  const next = nearest(start + passed % length);
  adapt(now - before);
  before = now;
  // Time waits for frames that are not there yet.
  if (frames.has(next)) {
    moment = passed;
    if (next !== current) {
      show(next);
      shown += 1;
    }
  } else load(next);
  requestAnimationFrame(tick);
}

$("play").addEventListener("click", () => {
  playing = !playing && run.frames.length > 1;
  $("play").textContent = playing ? "pause" : "play";
  moment = (run.frames[current]?.[1] ?? 0) - (run.frames[0]?.[1] ?? 0);
  [before, pace, shown] = [performance.now(), 0, 0];
  if (stage.software && share === 1) share = Math.min(1, AT_FIRST / Math.max(frames.get(current)?.total ?? 1, 1));
  requestAnimationFrame(tick);
  if (!playing) show(current);
});
$("time").addEventListener("input", () => show(Number($("time").value)));
for (const id of ["field", "particles", "surface", "bodies"]) $(id).addEventListener("change", () => show(current));
window.addEventListener("resize", () => draw());
let waiting = false;
stage.changed = (moving = false) => {
  turning = moving;
  // One picture for all that was changed since the last one.
  if (waiting) return;
  waiting = true;
  requestAnimationFrame((now) => {
    waiting = false;
    draw();
    if (!turning) load(current);
    else if (!playing) adapt(now - turnedAt);
    turnedAt = now;
  });
};
$("legend").firstElementChild.style.background = `linear-gradient(90deg, ${COLOURS.map((c) => `rgb(${c})`).join()})`;
$("title").textContent = document.title = run.title;
$("surface").disabled = !run.surface;

async function refresh() {
  const fresh = await (await fetched("/run.json?short")).json();
  run.frames = fresh.frames;
  $("time").max = Math.max(run.frames.length - 1, 0);
  plots.read(await (await fetched("/series.csv")).text());
  draw();
  // While the run goes on, new frames appear.
  if (fresh.running) setTimeout(refresh, 2000);
}

await refresh();
show(0);
document.body.dataset.ready = "true";
