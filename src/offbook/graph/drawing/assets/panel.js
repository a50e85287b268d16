// The panel: the list of entities, and all that is known of one of them. Text is only ever text.
const made = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
};
const look = (node) => made("span", { class: `look look-${node.look} shape-${node.look % 5}`, "aria-hidden": "true" });
const counted = (number, noun, nouns = `${noun}s`) => `${number.toLocaleString("en")} ${number === 1 ? noun : nouns}`;

class Panel {
  static FIRST = 300; // entities that are listed at once
  static QUOTES = 20;

  constructor(model, page) {
    Object.assign(this, { model, page });
    for (const id of ["listing", "entities", "more", "nothing", "details"]) this[id] = document.getElementById(id);
    this.side = this.listing.parentElement;
    this.limit = Panel.FIRST;
    this.scrolled = 0;
    this.more.addEventListener("click", () => {
      const next = this.limit;
      this.limit += 1000;
      this.list();
      this.entities.children[next]?.firstChild.focus();
    });
    this.entities.addEventListener("keydown", (event) => this.arrows(event));
  }

  // -- the list --------------------------------------------------------------------------------

  list() {
    const found = this.model.nodes.filter((node) => this.model.shows(node) && this.model.matches(node));
    const shown = found.slice(0, this.limit);
    this.entities.replaceChildren(...shown.map((node, place) => made("li", {}, this.entry(node, place))));
    const left = found.length - shown.length;
    this.more.hidden = left === 0;
    this.more.textContent = `Show ${Math.min(left, 1000).toLocaleString("en")} of ${left.toLocaleString("en")} more`;
    this.nothing.hidden = found.length > 0;
    this.nothing.textContent = this.model.nodes.length
      ? this.model.query
        ? `Nobody and nothing here is called “${this.model.query}”.`
        : "All types are hidden."
      : "No entities.";
    return found;
  }

  entry(node, place) {
    const alias = this.model.matchingAlias(node);
    const button = made("button", {
      type: "button", class: "entity", tabindex: place ? -1 : 0, "data-entity": node.id,
      "aria-label": [node.name, alias && `also ${alias}`, node.type.name, counted(node.mentions, "mention")].filter(Boolean).join(", "),
      onclick: () => this.page.select(node.index, true),
      onfocus: () => this.rove(button),
    }, look(node), made("bdi", { class: "name", text: node.name }));
    if (alias) button.append(made("bdi", { class: "also", text: alias }));
    button.append(made("span", { class: "count", text: node.mentions.toLocaleString("en") }));
    return button;
  }

  rove(button) {
    const old = this.entities.querySelector('[tabindex="0"]');
    if (old) old.tabIndex = -1;
    button.tabIndex = 0;
  }

  arrows(event) {
    const items = [...this.entities.querySelectorAll("button")];
    const at = items.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    if (next < 0) document.getElementById("search").focus();
    else items[next]?.focus();
  }

  // -- one entity ------------------------------------------------------------------------------

  open(node, focused) {
    if (this.details.hidden) this.scrolled = this.side.scrollTop;
    this.listing.hidden = true;
    this.details.hidden = false;
    const heading = made("h2", { id: "details-name", tabindex: -1, dir: "auto", text: node.name });
    const relations = this.model.relationsOf(node);
    this.details.replaceChildren(
      made("button", { type: "button", class: "back", text: "← All entities", onclick: () => this.page.select(-1, true) }),
      heading,
      made("p", { class: "kind" }, look(node), made("bdi", { text: node.type.name }),
        ` · ${counted(node.mentions, "mention")} · ${counted(relations.length, "relation")}`),
    );
    if (node.aliases.length)
      this.details.append(made("ul", { class: "aliases", "aria-label": "Also called" },
        ...node.aliases.map((alias) => made("li", { dir: "auto", text: alias }))));
    this.details.append(node.description
      ? made("p", { class: "described", dir: "auto", text: node.description })
      : made("p", { class: "described quiet", text: "No description." }));
    this.section("Relations", relations, (relation) => this.relation(node, relation), 50);
    this.section("In the text", node.quotes, (quote) => this.quote(quote), Panel.QUOTES);
    this.side.scrollTop = 0;
    if (focused) heading.focus({ preventScroll: true });
  }

  close(index, focused) {
    if (this.details.hidden) return;
    this.details.hidden = true;
    this.listing.hidden = false;
    this.side.scrollTop = this.scrolled;
    if (!focused) return;
    const id = index >= 0 ? this.model.nodes[index].id : null;
    const entry = [...this.entities.querySelectorAll("button")].find((button) => button.dataset.entity === id);
    (entry || document.getElementById("search")).focus();
  }

  section(title, rows, row, first) {
    if (!rows.length) return;
    const box = made("div");
    this.details.append(made("h3", { text: title }), box);
    box.append(...rows.slice(0, first).map(row));
    if (rows.length <= first) return;
    const rest = rows.length - first;
    const more = made("button", { type: "button", class: "more", text: `Show ${rest.toLocaleString("en")} more`, onclick: () => {
      more.remove();
      box.append(...rows.slice(first).map(row));
    } });
    this.details.append(more);
  }

  relation(node, relation) {
    const outward = relation.source === node.index;
    const other = this.model.nodes[outward ? relation.target : relation.source];
    const bar = made("span");
    bar.style.width = `${Math.min(100, Math.max(4, relation.strength * 10))}%`;
    const strength = `strength ${+relation.strength.toFixed(2)} of 10`;
    const row = made("div", { class: "relation" },
      made("div", { class: "head" },
        made("span", { class: "arrow", role: "img", "aria-label": outward ? "to" : "from", text: outward ? "→" : "←" }),
        made("button", { type: "button", class: "other", "data-entity": other.id, onclick: () => this.page.select(other.index, true) },
          look(other), made("bdi", { text: other.name })),
        made("span", { class: "strength", role: "img", "aria-label": strength, title: strength }, bar)));
    if (relation.description) row.append(made("p", { class: "said", dir: "auto", text: relation.description }));
    if (relation.quotes.length)
      row.append(made("details", { class: "sources" },
        made("summary", { text: counted(relation.quotes.length, "sentence") }),
        ...relation.quotes.map((quote) => this.quote(quote))));
    return row;
  }

  quote([number, marks]) {
    const [place, text] = this.model.sentences[number];
    const letters = Array.from(text); // offsets count code points
    const paragraph = made("p", { dir: "auto" });
    let at = 0;
    for (const [start, end] of marks) {
      if (start < at) continue;
      paragraph.append(letters.slice(at, start).join(""), made("mark", { text: letters.slice(start, end).join("") }));
      at = end;
    }
    paragraph.append(letters.slice(at).join(""));
    return made("blockquote", {}, paragraph, made("cite", { dir: "auto", text: this.model.documents[place] }));
  }
}
