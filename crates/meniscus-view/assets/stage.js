// The scene in WebGL2: particles as shaded discs, surface and bodies as lit meshes, an orbiting camera.

export const COLOURS = [[7, 47, 107], [11, 85, 159], [42, 134, 200], [102, 180, 226], [176, 221, 242], [246, 252, 255]];

const POINT_VERTEX = `#version 300 es
in vec3 place; in float value;
uniform mat4 view; uniform vec3 low, size; uniform float diameter, pixels; uniform vec4 range;
out float shade;
void main() {
  gl_Position = view * vec4(low + place * size, 1.0);
  gl_PointSize = clamp(diameter * pixels / gl_Position.w, 1.5, 64.0);
  shade = clamp((mix(range.x, range.y, value) - range.z) / max(range.w - range.z, 1e-12), 0.0, 1.0);
}`;
const POINT_FRAGMENT = `#version 300 es
precision mediump float;
in float shade; uniform vec3 colours[6]; out vec4 colour;
void main() {
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  float r = dot(at, at);
  if (r > 1.0) discard;
  float x = shade * 5.0; int k = min(int(x), 4);
  vec3 base = mix(colours[k], colours[k + 1], x - float(k));
  vec3 n = vec3(at.x, -at.y, sqrt(1.0 - r));
  colour = vec4(base * (0.55 + 0.5 * max(dot(n, vec3(-0.4, 0.72, 0.56)), 0.0)), 1.0);
}`;
const MESH_VERTEX = `#version 300 es
in vec3 place; in vec3 normal;
uniform mat4 view, pose; uniform vec3 low, size;
out vec3 facing; out vec3 world;
void main() {
  world = (pose * vec4(low + place * size, 1.0)).xyz;
  gl_Position = view * vec4(world, 1.0);
  facing = mat3(pose) * normal;
}`;
const MESH_FRAGMENT = `#version 300 es
precision mediump float;
in vec3 facing; in vec3 world; uniform vec3 eye, tint; uniform float clear; out vec4 colour;
void main() {
  if (clear < 0.0) { colour = vec4(tint, 1.0); return; }
  vec3 n = normalize(length(facing) > 0.1 ? facing : cross(dFdx(world), dFdy(world)));
  vec3 towards = normalize(eye - world);
  if (dot(n, towards) < 0.0) n = -n;
  float rim = pow(1.0 - dot(n, towards), 3.0);
  float lamp = max(dot(n, normalize(vec3(-0.4, 0.8, 0.45))), 0.0);
  vec3 light = tint * (0.45 + 0.15 * n.y + 0.55 * lamp) + clear * (vec3(0.8) * rim + pow(lamp, 60.0));
  colour = vec4(light, mix(1.0, 0.45 + 0.5 * rim, clear));
}`;

const program = (gl, vertex, fragment) => {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  ["place", "value"].forEach((name, k) => gl.bindAttribLocation(made, k, name));
  gl.bindAttribLocation(made, 2, "normal");
  gl.linkProgram(made);
  return { made, at: (name) => gl.getUniformLocation(made, name) };
};

const STILL = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const sub = (a, b) => a.map((x, k) => x - b[k]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / Math.hypot(...a));

// Whether pictures are made without a graphics card: then edges stay rough, for speed.
const isSoftware = () => {
  const gl = document.createElement("canvas").getContext("webgl2");
  const name = gl?.getParameter(gl.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER) ?? "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
};

export class Stage {
  constructor(canvas, bounds, camera = {}) {
    this.canvas = canvas;
    this.software = isSoftware();
    this.gl = canvas.getContext("webgl2", { antialias: !this.software, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("this browser has no WebGL2");
    this.points = program(this.gl, POINT_VERTEX, POINT_FRAGMENT);
    this.mesh = program(this.gl, MESH_VERTEX, MESH_FRAGMENT);
    const [low, high] = bounds;
    this.middle = low.map((x, k) => (x + high[k]) / 2);
    this.reach = Math.max(Math.hypot(...sub(high, low)) / 2, 1e-6);
    [this.turn, this.lift, this.away, this.focus] = [0.38, 0.37, 2.5, 1.9];
    this.fineness = 1; // of the pixels along a side, in moving pictures
    this.place(camera);
    this.listen();
  }

  // Begins where the scene wants its pictures to be taken from.
  place({ direction, position, target, field_of_view: angle }) {
    if (position && target) this.middle = target;
    const back = position ? sub(position, this.middle) : direction;
    const length = back && Math.hypot(...back);
    if (!length) return;
    [this.turn, this.lift] = [Math.atan2(back[0], back[2]), Math.min(1.5, Math.max(-1.5, Math.asin(back[1] / length)))];
    if (!position) return;
    this.away = length / this.reach;
    this.focus = 1 / Math.tan((angle ?? 25) * Math.PI / 360);
  }

  listen() {
    let last = null;
    this.canvas.addEventListener("pointerdown", (e) => { last = e; this.canvas.setPointerCapture(e.pointerId); });
    this.canvas.addEventListener("pointerup", () => { last = null; this.changed?.(); });
    this.canvas.addEventListener("pointermove", (e) => {
      if (!last) return;
      this.turn -= (e.clientX - last.clientX) * 0.008;
      this.lift = Math.min(1.5, Math.max(-1.5, this.lift + (e.clientY - last.clientY) * 0.008));
      last = e;
      this.changed?.(true);
    });
    this.canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.away = Math.min(40, Math.max(0.2, this.away * Math.exp(e.deltaY * 0.001)));
      this.changed?.();
    }, { passive: false });
  }

  // A frame's bytes as buffers; see packed.rs for the layout.
  load(bytes) {
    const gl = this.gl;
    const view = new DataView(bytes);
    const floats = (at, n) => Array.from({ length: n }, (_, k) => view.getFloat32(at + 4 * k, true));
    const count = view.getUint32(0, true);
    const places = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, places);
    gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(bytes, 60), gl.STATIC_DRAW);
    const ranges = floats(32, 6);
    return { count, total: view.getUint32(56, true), time: view.getFloat32(4, true), low: floats(8, 3), size: floats(20, 3), places,
      ranges: [ranges.slice(0, 2), ranges.slice(2, 4), ranges.slice(4, 6)], bytes: bytes.byteLength };
  }

  loadSurface(bytes) {
    const view = new DataView(bytes);
    const [vertices, triangles] = [view.getUint32(0, true), view.getUint32(4, true)];
    const box = Array.from({ length: 6 }, (_, k) => view.getFloat32(8 + 4 * k, true));
    const normals = 32 + Math.ceil(6 * vertices / 4) * 4;
    const corners = normals + 4 * vertices;
    return this.meshOf({ places: new Uint8Array(bytes, 32, 6 * vertices), normals: new Uint8Array(bytes, normals, 4 * vertices),
      corners: new Uint8Array(bytes, corners, 12 * triangles), count: 3 * triangles, low: box.slice(0, 3), size: box.slice(3) });
  }

  loadBody(vertex, triangle) {
    return this.meshOf({ places: new Float32Array(vertex.flat()), corners: new Uint32Array(triangle.flat()), count: 3 * triangle.length,
      low: [0, 0, 0], size: [1, 1, 1], whole: true });
  }

  loadEdges(edges) {
    return this.meshOf({ places: new Float32Array(edges.flat(2)), corners: new Uint32Array(edges.flat().map((_, k) => k)), count: 2 * edges.length,
      low: [0, 0, 0], size: [1, 1, 1], whole: true, lines: true });
  }

  meshOf(mesh) {
    const gl = this.gl;
    const fill = (kind, data) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(kind, buffer);
      gl.bufferData(kind, data, gl.STATIC_DRAW);
      return buffer;
    };
    return { ...mesh, places: fill(gl.ARRAY_BUFFER, mesh.places), corners: fill(gl.ELEMENT_ARRAY_BUFFER, mesh.corners),
      normals: mesh.normals && fill(gl.ARRAY_BUFFER, mesh.normals) };
  }

  forget(thing) {
    for (const name of ["places", "corners", "normals"]) if (thing[name]) this.gl.deleteBuffer(thing[name]);
  }

  camera() {
    const [c, s] = [Math.cos(this.lift), Math.sin(this.lift)];
    const back = [Math.sin(this.turn) * c, s, Math.cos(this.turn) * c];
    const eye = this.middle.map((x, k) => x + back[k] * this.away * this.reach);
    const right = unit(cross([0, 1, 0], back));
    const up = cross(back, right);
    const [near, far] = [0.02 * this.reach, 100 * this.reach];
    const f = this.focus, aspect = this.canvas.width / Math.max(this.canvas.height, 1);
    const rows = [right.map((x) => x * f / aspect), up.map((x) => x * f), back.map((x) => x * (far + near) / (near - far)), back.map((x) => -x)];
    const move = [-dot(right, eye) * f / aspect, -dot(up, eye) * f,
      -dot(back, eye) * (far + near) / (near - far) + 2 * far * near / (near - far), dot(back, eye)];
    const view = new Float32Array(16);
    rows.forEach((row, r) => { row.forEach((x, k) => { view[4 * k + r] = x; }); view[12 + r] = move[r]; });
    return { view, eye, pixels: this.canvas.height * f / 2 };
  }

  draw({ frame, share, coarse, surface, bodies, poses, field, scale, spacing, edges }) {
    const gl = this.gl, ratio = (window.devicePixelRatio || 1) * (coarse ? this.fineness : 1);
    const [width, height] = [this.canvas.clientWidth * ratio | 0, this.canvas.clientHeight * ratio | 0];
    if (this.canvas.width !== width || this.canvas.height !== height) [this.canvas.width, this.canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(0.075, 0.1, 0.13, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    const camera = this.camera();
    this.drawMesh(edges, STILL, [0.35, 0.42, 0.5], -1, camera);
    bodies.forEach((body, k) => poses[k] && this.drawMesh(body.mesh, poses[k], body.tint, 0, camera));
    if (frame) this.drawPoints(frame, Math.min(frame.count, Math.ceil(frame.total * share)), field, scale, spacing, camera);
    if (surface) {
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      this.drawMesh(surface, STILL, [0.13, 0.42, 0.62], 1, camera);
      gl.disable(gl.BLEND);
    }
  }

  // Draws the first `most` particles: an even sample, whose balls are larger the fewer they are.
  drawPoints(frame, most, field, scale, spacing, camera) {
    const gl = this.gl, { made, at } = this.points;
    gl.useProgram(made);
    gl.bindBuffer(gl.ARRAY_BUFFER, frame.places);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, true, 6, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 1, gl.UNSIGNED_BYTE, true, 1, 6 * frame.count + field * frame.count);
    gl.disableVertexAttribArray(2);
    gl.uniformMatrix4fv(at("view"), false, camera.view);
    gl.uniform3fv(at("low"), frame.low);
    gl.uniform3fv(at("size"), frame.size);
    gl.uniform1f(at("diameter"), spacing * 1.15 * Math.cbrt(frame.total / Math.max(most, 1)));
    gl.uniform1f(at("pixels"), camera.pixels);
    gl.uniform4f(at("range"), ...frame.ranges[field], ...scale);
    gl.uniform3fv(at("colours"), COLOURS.flat().map((x) => x / 255));
    gl.drawArrays(gl.POINTS, 0, most);
  }

  drawMesh(mesh, pose, tint, clear, camera) {
    const gl = this.gl, { made, at } = this.mesh;
    gl.useProgram(made);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.places);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, mesh.whole ? gl.FLOAT : gl.UNSIGNED_SHORT, !mesh.whole, 0, 0);
    gl.disableVertexAttribArray(1);
    gl.disableVertexAttribArray(2);
    gl.vertexAttrib3f(2, 0, 0, 0);
    if (mesh.normals) {
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.normals);
      gl.enableVertexAttribArray(2);
      gl.vertexAttribPointer(2, 3, gl.BYTE, true, 4, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.corners);
    gl.uniformMatrix4fv(at("view"), false, camera.view);
    gl.uniformMatrix4fv(at("pose"), false, pose);
    gl.uniform3fv(at("low"), mesh.low);
    gl.uniform3fv(at("size"), mesh.size);
    gl.uniform3fv(at("eye"), camera.eye);
    gl.uniform3fv(at("tint"), tint);
    gl.uniform1f(at("clear"), clear);
    gl.drawElements(mesh.lines ? gl.LINES : gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
  }
}
