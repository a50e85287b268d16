// The page: reads the data, and keeps the drawing, the panel and the address in step.
class Model {
  static SHORT = 28;

  constructor(data) {
    Object.assign(this, { types: data.types, documents: data.documents, sentences: data.sentences });
    this.nodes = data.nodes.map((node, index) => ({
      ...node, index, type: data.types[node.type], typeIndex: node.type, look: data.types[node.type].look,
      short: Model.shortened(node.name), keys: [node.name, ...node.aliases].map(Model.folded),
    }));
    this.relations = data.relations;
    this.around = this.nodes.map(() => []);
    for (const relation of this.relations) {
      this.around[relation.source].push(relation);
      if (relation.target !== relation.source) this.around[relation.target].push(relation);
    }
    this.hiddenTypes = new Set();
    this.chapters = data.chapters;
    this.chapter = -1; // all of them
    this.selected = this.hovered = -1;
    this.query = this.sought = "";
  }

  static folded(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/gu, " ").trim();
  }

  static shortened(name) {
    const letters = Array.from(name.replace(/\s+/gu, " ").trim());
    return letters.length > Model.SHORT ? `${letters.slice(0, Model.SHORT - 1).join("")}…` : letters.join("");
  }

  search(text) {
    this.query = text.trim();
    this.sought = Model.folded(text);
  }

  shows(node) {
    return !this.hiddenTypes.has(node.typeIndex) && this.isIn(node);
  }

  // Whether an entity or a relation stands in the chapter that is looked at.
  isIn({ chapters }) {
    return this.chapter < 0 || chapters.includes(this.chapter);
  }

  matches(node) {
    return !this.sought || node.keys.some((key) => key.includes(this.sought));
  }

  matchingAlias(node) {
    if (!this.sought || node.keys[0].includes(this.sought)) return "";
    const place = node.keys.findIndex((key) => key.includes(this.sought));
    return place > 0 ? node.aliases[place - 1] : "";
  }

  // The entity that matters now; -1 is none.
  focus() {
    return this.selected >= 0 ? this.selected : this.hovered;
  }

  // Those that stand out, or null where all do.
  lit() {
    const focus = this.focus();
    if (focus >= 0) {
      const near = this.around[focus].flatMap((relation) => [relation.source, relation.target]);
      return new Set([focus, ...near]);
    }
    if (!this.sought) return null;
    return new Set(this.nodes.filter((node) => this.matches(node)).map((node) => node.index));
  }

  relationsOf(node) {
    return [...this.around[node.index]].sort((a, b) => b.strength - a.strength);
  }
}

class Page {
  static FRAME = 18; // milliseconds of layout a frame
  static FIRST = 250; // and before the first picture

  constructor(data) {
    this.model = new Model(data);
    this.layout = new Layout(this.sizes(), this.model.relations.map(({ source, target }) => [source, target]));
    this.canvas = document.getElementById("canvas");
    this.drawing = new Drawing(this.canvas, this.model, this.layout);
    this.panel = new Panel(this.model, this);
    new Gestures(this.canvas, this.drawing, this);
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.head();
    this.legend();
    this.choice();
    this.controls();
    this.panel.list();
    this.resize();
    new ResizeObserver(() => (this.resize(), this.changed())).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (this.drawing.colours(), this.changed()));
    addEventListener("message", (event) => event.source === parent && this.themed(event.data?.theme));
    this.advance(Page.FIRST);
    this.drawing.draw();
    performance.mark("first-drawing");
    this.changed();
    addEventListener("hashchange", () => this.followAddress());
    this.followAddress();
  }

  // A page that shows this one within itself may have a theme of its own; else it is the system's.
  themed(theme) {
    const system = "(prefers-color-scheme: dark)";
    this.dark ??= [...document.styleSheets[0].cssRules].find((rule) => rule.media?.mediaText === system);
    this.dark.media.mediaText = { light: "not all", dark: "all" }[theme] ?? system;
    document.documentElement.style.colorScheme = ["light", "dark"].includes(theme) ? theme : "";
    this.drawing.colours();
    this.changed();
  }

  sizes() {
    const heaviest = this.model.nodes.length ? Math.max(this.model.nodes[0].weight, 1) : 1;
    return this.model.nodes.map((node) => 4.5 + 21 * Math.sqrt(node.weight / heaviest));
  }

  head() {
    const { nodes, relations } = this.model;
    const counts = `${counted(nodes.length, "entity", "entities")} · ${counted(relations.length, "relation")}`;
    document.getElementById("counts").textContent = counts;
    this.canvas.setAttribute("aria-label", `Drawing of ${counts.replace("·", "and")}`);
    const notice = document.getElementById("notice");
    notice.hidden = nodes.length > 0;
    notice.textContent = "There is nothing to draw: no entities were found in the documents.";
  }

  legend() {
    const box = document.getElementById("legend");
    box.hidden = this.model.types.length === 0;
    this.model.types.forEach((type, index) => {
      const button = made("button", { type: "button", "aria-pressed": "true", "data-type": type.name, onclick: () => {
        const hidden = this.model.hiddenTypes;
        if (!hidden.delete(index)) hidden.add(index);
        button.setAttribute("aria-pressed", String(!hidden.has(index)));
        if (this.model.selected >= 0 && hidden.has(this.model.nodes[this.model.selected].typeIndex)) this.select(-1);
        this.relist();
      } }, look(type), made("bdi", { class: "name", text: type.name }), made("span", { class: "count", text: type.count.toLocaleString("en") }));
      box.append(button);
    });
  }

  choice() {
    const box = document.getElementById("chapter"), { chapters } = this.model;
    box.hidden = chapters.length < 2;
    ["All of the texts", ...chapters].forEach((title, index) => box.append(made("option", { value: String(index - 1), text: title })));
    box.addEventListener("change", () => {
      this.model.chapter = Number(box.value);
      const { selected, nodes } = this.model;
      if (selected >= 0 && !this.model.shows(nodes[selected])) this.select(-1);
      this.relist();
    });
  }

  resize() {
    const box = document.getElementById("legend"), { room } = this.drawing;
    const above = matchMedia("(max-width: 760px)").matches;
    const margin = above ? 24 : 48;
    room.left = margin + (above ? 0 : box.offsetWidth);
    room.top = margin + (above ? box.offsetHeight : 0);
    room.right = margin + 32;
    room.bottom = margin;
    this.drawing.resize();
  }

  controls() {
    const search = document.getElementById("search");
    search.addEventListener("input", () => {
      this.model.search(search.value);
      this.panel.limit = Panel.FIRST;
      this.select(-1);
      this.relist();
    });
    search.addEventListener("keydown", (event) => {
      const first = this.panel.entities.querySelector("button");
      if (event.key === "Enter" && first && search.value.trim()) first.click();
      else if (event.key === "ArrowDown" && first) (event.preventDefault(), first.focus());
    });
    document.getElementById("zoom-in").addEventListener("click", () => (this.drawing.zoomBy(1.4), this.changed()));
    document.getElementById("zoom-out").addEventListener("click", () => (this.drawing.zoomBy(1 / 1.4), this.changed()));
    document.getElementById("zoom-fit").addEventListener("click", () => ((this.drawing.moved = false), this.changed()));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.model.selected >= 0) this.select(-1, this.panel.details.contains(document.activeElement));
      else if (event.key === "/" && !event.target.closest("input")) (event.preventDefault(), search.focus(), search.select());
    });
  }

  relist() {
    const found = this.panel.list();
    this.say(counted(found.length, "entity", "entities"));
    this.changed();
  }

  say(text) {
    document.getElementById("said").textContent = text;
  }

  // -- what is selected, and the address ---------------------------------------------------------

  // focused: the keyboard was in the panel, and goes on there. near: the node was in sight.
  select(index, focused = false, near = false) {
    const before = this.model.selected;
    if (index === before) return;
    this.model.selected = index;
    this.model.hovered = -1;
    document.getElementById("tip").hidden = true;
    if (index >= 0) {
      const node = this.model.nodes[index];
      this.panel.open(node, focused);
      if (!near) this.drawing.show(index);
      this.say(`${node.name}, ${node.type.name}`);
    } else {
      this.panel.close(before, focused);
    }
    const address = index >= 0 ? `#${encodeURIComponent(this.model.nodes[index].id)}` : "#";
    if ((location.hash || "#") !== address) location.hash = address;
    this.changed();
  }

  followAddress() {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      id = "";
    }
    const index = id ? this.model.nodes.findIndex((node) => node.id === id) : -1;
    if (index >= 0 && !this.model.shows(this.model.nodes[index])) return;
    this.select(index);
  }

  hover(index, x, y) {
    const tip = document.getElementById("tip");
    this.canvas.classList.toggle("over", index >= 0);
    tip.hidden = index < 0;
    if (index >= 0) {
      tip.textContent = this.model.nodes[index].name;
      const left = Math.min(x + 14, this.drawing.width - tip.offsetWidth - 8);
      tip.style.transform = `translate(${left}px, ${Math.max(4, y - tip.offsetHeight - 10)}px)`;
    }
    if (index === this.model.hovered) return;
    this.model.hovered = index;
    this.changed();
  }

  // -- a node in the hand ------------------------------------------------------------------------

  hold(index) {
    this.drawing.moved = true;
    this.layout.held = index;
    this.layout.floor = 0.12;
    this.layout.reheat(0.12);
  }

  drag(index, x, y) {
    this.layout.x[index] = (x - this.drawing.left) / this.drawing.zoom;
    this.layout.y[index] = (y - this.drawing.top) / this.drawing.zoom;
    this.changed();
  }

  drop() {
    this.layout.held = -1;
    this.layout.floor = 0;
    this.changed();
  }

  // -- time --------------------------------------------------------------------------------------

  advance(milliseconds) {
    const until = performance.now() + milliseconds;
    while (!this.layout.settled && performance.now() < until) this.layout.tick();
  }

  changed() {
    document.documentElement.dataset.layout = this.layout.settled ? "settled" : "moving";
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.frame());
  }

  frame() {
    this.asked = false;
    this.advance(Page.FRAME);
    // Whoever asked for less motion sees the first picture and the last, and what they drag.
    if (!this.still.matches || this.layout.settled || this.layout.held >= 0) this.drawing.draw();
    if (this.layout.settled) {
      if (document.documentElement.dataset.layout !== "settled") performance.mark("settled");
      document.documentElement.dataset.layout = "settled";
    } else {
      this.changed();
    }
  }
}

new Page(JSON.parse(document.getElementById("data").textContent));
