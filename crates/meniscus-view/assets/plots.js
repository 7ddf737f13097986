// The series as small plots with a line at the time that is shown.

const PLOTS = [
  ["energy [J]", ["kinetic_energy", "potential_energy"], false],
  ["density error [1]", ["density_error_mean", "density_error_max"], true],
  ["sweeps [1]", ["pressure_sweeps", "divergence_sweeps"], false],
  ["dt [s]", ["dt"], true],
  ["energy of bodies [J]", ["solid_kinetic_energy", "solid_potential_energy"], false],
];
const LINES = ["#5fb3f0", "#f0a35f"];
const MOST = 1200;

// A number in few characters.
export const short = (x) => (x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential(1) : x.toPrecision(3));

export class Plots {
  constructor(place, pick) {
    [this.place, this.pick, this.shown] = [place, pick, []];
  }

  read(text) {
    const rows = text.trimEnd().split("\n");
    const names = rows.shift().split(",");
    const stride = Math.max(1, Math.ceil(rows.length / MOST));
    const kept = rows.filter((_, k) => k % stride === 0 || k === rows.length - 1).map((row) => row.split(",").map(Number));
    const column = (name) => { const k = names.indexOf(name); return k < 0 ? null : kept.map((row) => row[k]); };
    const time = column("time");
    this.data = PLOTS.map(([title, wanted, decades]) => ({ title, decades, time, curves: wanted.map(column).filter(Boolean) }))
      .filter((plot) => plot.curves.length);
    while (this.shown.length < this.data.length) {
      const canvas = document.createElement("canvas");
      canvas.addEventListener("click", (e) => this.pick((e.offsetX - 8) / Math.max(canvas.clientWidth - 16, 1) * this.end));
      this.place.append(canvas);
      this.shown.push(canvas);
    }
    this.end = Math.max(...time, 1e-9);
  }

  draw(now) {
    this.data?.forEach((plot, k) => this.drawOne(this.shown[k], plot, now));
  }

  // The curves are drawn once for their size; then only the line of the time moves.
  drawOne(canvas, plot, now) {
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (plot.image?.width !== Math.max(w * ratio | 0, 1)) plot.image = this.curvesOf(plot, w, h, ratio);
    if (canvas.width !== plot.image.width) [canvas.width, canvas.height] = [plot.image.width, plot.image.height];
    const pen = canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(plot.image, 0, 0);
    pen.scale(ratio, ratio);
    pen.strokeStyle = "#ffffff80";
    pen.beginPath();
    const x = 8 + (w - 16) * now / this.end;
    pen.moveTo(x, 24);
    pen.lineTo(x, h - 4);
    pen.stroke();
  }

  curvesOf({ title, decades, time, curves }, w, h, ratio) {
    const image = document.createElement("canvas");
    [image.width, image.height] = [w, h].map((side) => Math.max(side * ratio | 0, 1));
    const pen = image.getContext("2d");
    pen.scale(ratio, ratio);
    // Zero has no place on a scale of decades.
    const turn = (x) => (decades ? (x > 0 ? Math.log10(x) : NaN) : x);
    const all = curves.flat().map(turn).filter(Number.isFinite);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const at = (t, x) => [8 + (w - 16) * t / this.end, h - 8 - (h - 34) * (turn(x) - low) / Math.max(high - low, 1e-12)];
    curves.forEach((curve, c) => {
      pen.strokeStyle = LINES[c];
      pen.beginPath();
      curve.forEach((x, k) => Number.isFinite(turn(x)) && pen.lineTo(...at(time[k], x)));
      pen.stroke();
    });
    pen.fillStyle = "#d7e0e8";
    pen.font = "12px system-ui, sans-serif";
    const show = (x) => short(decades ? 10 ** x : x);
    pen.fillText(`${title}   ${show(low)} … ${show(high)}`, 8, 16);
    return image;
  }
}
