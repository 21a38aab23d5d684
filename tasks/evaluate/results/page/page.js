"use strict";
// Looking closer: number → rows → one row. Everything is put in as text nodes, nothing as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dialog = document.getElementById("drill");
  const MARKS = { right: "✓", wrong: "✗", partly: "◐", refused: "⊘", unscored: "?" };
  const STAGES = {
    empty: "the answer is empty", refusal: "it refuses", exact: "it is exactly an answer", contained: "it contains an answer",
    value: "it states the same value", judge: "a judge model", unmatched: "no answer was found in it",
  };
  const NOT = { contained: "it contains no answer", value: "it states another value" }; // the same stages, of a wrong answer
  const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\ud800-\udfff]/gu;
  const text = (at) => data.texts[at] || "";
  const count = (n) => n.toLocaleString("en-US");
  const said = (name) => String(name).replaceAll("_", " ");
  const state = { set: null, row: null, filter: "all", find: "" };

  function el(name, about, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(about || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "on") node.addEventListener("click", value);
      else if (key === "cls") node.className = value;
      else node.setAttribute(key, value === true ? "" : value);
    }
    for (const child of children.flat(9)) {
      if (child === null || child === undefined || child === "") continue;
      node.append(...(typeof child === "string" ? seen(child) : [child]));
    }
    return node;
  }

  // Text as nodes; what a reader cannot see, or what turns the text around it, is spelled out
  function seen(told) {
    const parts = [];
    let from = 0;
    for (const hit of told.matchAll(UNSEEN)) {
      if (hit.index > from) parts.push(document.createTextNode(told.slice(from, hit.index)));
      const code = document.createElement("span");
      code.className = "ctl";
      code.textContent = "U+" + hit[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      parts.push(code);
      from = hit.index + hit[0].length;
    }
    if (from < told.length) parts.push(document.createTextNode(told.slice(from)));
    return parts;
  }

  const chip = (outcome, label) => el("span", { cls: `chip ${outcome}` }, `${MARKS[outcome] || ""} ${label || outcome}`);

  // [kind, text]: what was kept, dropped, and put in
  function segments(before, steps) {
    const found = [];
    let at = 0;
    for (const step of steps) {
      if (typeof step === "string") found.push(["ins", step]);
      else {
        found.push([step > 0 ? "same" : "del", before.slice(at, at + Math.abs(step))]);
        at += Math.abs(step);
      }
    }
    return found;
  }

  // Where one of these stands as a whole: "846" is not in "1,846", nor "2" in "2024"
  function pattern(forms) {
    const told = [...new Set(forms.map((one) => one.trim()).filter(Boolean))].sort((a, b) => b.length - a.length);
    if (!told.length) return null;
    const plain = told.map((one) => one.replace(/[.*+?^${}()|[\]\\\/]/g, "\\$&").replace(/\s+/g, "\\s+"));
    return new RegExp(`(?<![\\p{L}\\p{N}]|\\p{N}[.,])(?:${plain.join("|")})(?![\\p{L}\\p{N}]|[.,]\\p{N})`, "giu");
  }

  // Segments as nodes, the answer marked wherever it stands in what is there now
  function drawn(parts, forms) {
    const now = parts.filter(([kind]) => kind !== "del").map(([, told]) => told).join("");
    const wanted = pattern(forms);
    const spans = wanted ? [...now.matchAll(wanted)].map((hit) => [hit.index, hit.index + hit[0].length]) : [];
    const nodes = [];
    let at = 0;
    for (const [kind, told] of parts) {
      if (kind === "del") {
        nodes.push(el("del", {}, told));
        continue;
      }
      const inner = [];
      let from = 0;
      for (const [start, end] of spans) {
        const first = Math.max(start - at, from), last = Math.min(end - at, told.length);
        if (first >= last) continue;
        inner.push(told.slice(from, first), el("mark", {}, told.slice(first, last)));
        from = last;
      }
      inner.push(told.slice(from));
      nodes.push(kind === "ins" ? el("ins", {}, inner) : inner.map((one) => (typeof one === "string" ? seen(one) : one)));
      at += told.length;
    }
    return nodes.flat(9);
  }

  function route() {
    const [, set, row] = /^#rows\/(\d+)(?:\/(\d+))?$/.exec(location.hash) || [];
    if (set === undefined || !data.sets[set]) {
      if (dialog.open) dialog.close();
      return;
    }
    if (state.set !== set) Object.assign(state, { set, filter: "all", find: "" });
    state.row = row === undefined ? null : Number(row);
    show();
    if (!dialog.open) dialog.showModal();
  }

  function show() {
    const [counts, rows, unused] = data.sets[state.set];
    const [system, protocol, metric, slice, value, of, note] = data.numbers[state.set].map((at) => data.words[at]);
    const total = counts.reduce((a, b) => a + b, 0);
    const mine = rows.filter((at) => fits(data.rows[at]));
    const shown = (outcome) => rows.filter((at) => data.outcomes[data.rows[at][2]] === outcome).length;
    const button = (name, label) =>
      el("button", { type: "button", "aria-pressed": String(state.filter === name), on: () => { state.filter = name; show(); } }, label);
    const find = el("input", { type: "search", placeholder: "find in these rows", "aria-label": "find in these rows" });
    find.value = state.find;
    find.addEventListener("input", () => { state.find = find.value; list(rows.filter((at) => fits(data.rows[at]))); });
    const current = state.row !== null && data.rows[state.row] ? state.row : mine[0];
    const two = el("div", { cls: state.row === null ? "two" : "two one" }, el("ul", { cls: "list" }), el("div", { cls: "detail", tabindex: "0" }));
    dialog.replaceChildren(
      el("div", { cls: "head" },
        el("div", {}, el("h2", { id: "drill-title" }, `${metric} · ${slice}: ${value}`), el("p", {}, `${system} · ${protocol} · ${of}`),
          note ? el("p", {}, note) : null,
          unused ? el("p", {}, `These rows are not narrowed down to ${unused}: no column says so.`) : null),
        el("button", { type: "button", "aria-label": "close", on: close }, "close")),
      el("div", { cls: "filters" },
        button("all", "all"),
        data.outcomes.map((name, at) => (counts[at] ? button(name, `${MARKS[name]} ${name} ${count(shown(name))} of ${count(counts[at])}`) : null)),
        find,
        el("span", { cls: "shown" }, rows.length < total ? `shown ${count(rows.length)} of ${count(total)}; all in ${protocol === "Retrieval" ? "hits" : "trials"}.parquet` : `all ${count(total)} rows`)),
      two);
    list(mine, current);
    const detail = dialog.querySelector(".detail");
    detail.replaceChildren(...(current === undefined ? [el("p", { cls: "small" }, "No row like this.")] : one(data.rows[current])));
    detail.scrollTop = 0;
  }

  function list(rows, current = state.row) {
    const items = rows.map((at) => {
      const row = data.rows[at], trial = data.trials[row[0]], wording = data.wordings[trial[5]];
      return el("li", {}, el("a", { href: `#rows/${state.set}/${at}`, "aria-current": String(at === current) },
        el("div", {}, chip(data.outcomes[row[2]]), el("span", { cls: "s" }, setting(trial, wording))),
        el("div", { cls: "q" }, text(wording[1]))));
    });
    dialog.querySelector(".list").replaceChildren(...(items.length ? items : [el("li", { cls: "small" }, "No row like this.")]));
    const here = dialog.querySelector(".list [aria-current=true]");
    if (here) here.scrollIntoView({ block: "nearest" });
  }

  const setting = (trial, wording) =>
    [wording[0] === "none" ? "" : said(wording[0]), ...trial[4].split(", ").map((one) => said(one).replace("=", " "))].filter((one) => one && one !== "all").join(" · ");

  function fits(row) {
    if (state.filter !== "all" && data.outcomes[row[2]] !== state.filter) return false;
    if (!state.find) return true;
    const trial = data.trials[row[0]];
    const told = [text(data.wordings[trial[5]][1]), text(row[10]), text(row[8]), trial[4], trial[0]].join("\n");
    return told.toLowerCase().includes(state.find.toLowerCase());
  }

  function one(row) {
    const trial = data.trials[row[0]], wording = data.wordings[trial[5]], question = data.questions[trial[2]];
    const forms = question ? [text(question[2]), ...question[3].map(text)] : [];
    return [
      el("button", { type: "button", cls: "back", on: () => { location.hash = `#rows/${state.set}`; } }, "← rows"),
      ...asked(trial, wording, question),
      ...(trial[1] === "retrieval" ? [] : said_(row, trial, forms)),
      ...(question ? expected(question) : []),
      ...contexts(row, trial, question, forms),
      el("p", { cls: "small" }, `trial ${trial[0]}`, question ? ` · question ${question[0]}` : "", ` · ${data.systems[row[1]] || "every system"}`,
        row[17][0] ? ` · ${count(row[17][0])} calls, ${count(row[17][1])} + ${count(row[17][2])} tokens` : "", row[18] ? ` · ${row[18]} s` : ""),
    ];
  }

  function asked(trial, wording, question) {
    const [kind, now, steps, similarity, entailment, detail] = wording;
    const about = [said(trial[3]), setting(trial, ["none"]), question ? [question[6], question[7], question[8], question[9]].filter(Boolean).map(said).join(" · ") : ""];
    const nodes = [el("h3", {}, kind === "none" ? "Question" : `Question, changed: ${said(kind)}`)];
    if (kind !== "none" && question) {
      const before = text(question[1]);
      nodes.push(el("div", { cls: "text" }, steps ? drawn(segments(before, steps), []) : [text(now)]));
      nodes.push(el("p", { cls: "small" }, steps ? "" : `instead of: ${before} `, [similarity === null ? "" : `similarity ${similarity}`, entailment, text(detail)].filter(Boolean).join(" · ")));
    } else nodes.push(el("div", { cls: "text" }, text(now)));
    nodes.push(el("p", { cls: "small" }, about.filter(Boolean).join(" · ")));
    return nodes;
  }

  function said_(row, trial, forms) {
    const [, , outcome, robust, value, status, stage, matched, why, judge, answer, error, detail] = row;
    const name = data.outcomes[outcome];
    const told = text(answer);
    const nodes = [el("h3", {}, "Answer")];
    if (error) nodes.push(el("div", { cls: "card" }, chip("unscored", said(error)), text(detail)));
    else if (trial[8]) nodes.push(el("div", { cls: "card" }, chip("unscored", "skipped"), said(trial[8])));
    else nodes.push(el("div", { cls: "text card" }, told ? drawn([["same", told]], [...forms, text(matched)]) : [el("span", { cls: "small" }, "(empty)")]));
    if (!error && detail) nodes.push(el("p", { cls: "small" }, text(detail)));
    nodes.push(el("h3", {}, "Verdict"), el("p", {}, chip(name),
      robust === null ? null : chip(robust ? "right" : "wrong", robust ? "robust" : "not robust"),
      value === null || value === undefined ? `${status || "no score"}. ` : `score ${value}. `,
      stage ? `Decided by: ${(value === 0 && NOT[stage]) || STAGES[stage] || said(stage)}${matched ? ` (“${text(matched)}”)` : ""}. ` : "",
      judge ? `Judge: ${judge}. ` : "", why ? el("span", { cls: "small" }, /^\w+$/.test(text(why)) ? said(text(why)) : text(why)) : null));
    const beside = row[19].map(([label, at]) => {
      const other = data.rows[at];
      return el("p", { cls: "small" }, chip(data.outcomes[other[2]]), el("a", { href: `#rows/${state.set}/${at}` }, label), ": ", text(other[10]).slice(0, 240) || said(other[11]) || "(empty)");
    });
    if (beside.length) nodes.push(el("h3", {}, "The same question"), ...beside);
    return nodes;
  }

  function expected(question) {
    const forms = question[3].map(text);
    const nodes = [el("h3", {}, "Right answer"),
      el("p", {}, el("strong", {}, text(question[2])), forms.length ? el("span", { cls: "small" }, `  or ${forms.join(" · ")}`) : null),
      el("h3", {}, question[5].length > 1 ? "Source sentences" : "Source sentence")];
    for (const [title, doc, section, chunk, before, sentence, after, at, where] of question[5]) {
      nodes.push(el("div", { cls: "card gold" },
        el("div", { cls: "small" }, [text(title), text(section)].filter(Boolean).join(" › "), doc ? ` · ${doc}` : "", where ? `, ${where}` : "", at >= 0 ? `, character ${count(at)}` : "", chunk ? ` · chunk ${chunk}` : ""),
        el("div", { cls: "text" }, el("span", { cls: "around" }, text(before)),
          el("span", { cls: "sentence" }, drawn([["same", text(sentence)]], [text(question[2]), ...forms])), el("span", { cls: "around" }, text(after)))));
    }
    return nodes;
  }

  function contexts(row, trial, question, forms) {
    const own = row[16].length ? row[16] : trial[6];
    const nodes = [el("h3", {}, trial[1] === "retrieval" ? "Retrieved, best first" : row[16].length ? "What it retrieved" : "What it was shown, top to bottom")];
    if (!own.length) return [...nodes, el("p", { cls: "small" }, trial[3] === "closed_book" ? "Nothing: it was asked without passages." : trial[3] === "own" ? "Not told: it retrieves for itself." : "Nothing.")];
    const about = [];
    if (row[14] >= 0) about.push(`${Math.round(row[14] * 100)} % of the gold chunks`);
    if (row[15] !== null && row[15] !== undefined) about.push(row[15] ? "the answer stands in them" : "the answer does not stand in them");
    const ranks = row[16].length ? [] : trial[7];
    const cut = row[13] && row[13] < own.length ? [...ranks].sort((a, b) => a - b)[row[13] - 1] : null;
    if (cut !== null) about.push(`${count(row[13])} of ${count(own.length)} fitted: the lowest ranks were dropped`);
    if (about.length) nodes.push(el("p", { cls: "small" }, about.join(" · ")));
    own.forEach((at, place) => nodes.push(passage(data.passages[at], place, ranks[place], cut !== null && ranks[place] > cut, question, forms, own.length)));
    return nodes;
  }

  function passage(told, place, rank, dropped, question, forms, many) {
    const [id, title, at, cut, original, steps, kind, chunk, keeps] = told;
    const gold = Boolean(question && keeps && chunk && question[4].includes(chunk));
    const spoiled = Boolean(question && !keeps && kind && question[4].includes(chunk));
    const base = original >= 0 ? data.passages[original] : null;
    const body = cut === 2 ? el("p", { cls: "small" }, "No room for its text here.")
      : el("div", { cls: "text" }, steps && base ? drawn(segments(text(base[2]), steps), forms) : drawn([["same", text(at)]], forms));
    const where = kind ? "variants.parquet" : "chunks.parquet";
    const open = !dropped && (gold || spoiled || many <= 3);
    return el("details", { cls: gold ? "card gold" : "card", open },
      el("summary", {}, `${place + 1} `, gold ? chip("right", "gold") : null, kind ? chip("partly", said(kind)) : null,
        spoiled ? chip("wrong", "gold spoiled") : null, dropped ? chip("unscored", "did not fit") : null, text(title), rank && rank !== place + 1 ? ` · rank ${rank}` : ""),
      body,
      el("p", { cls: "small" }, id, cut === 1 ? `, a part; whole in ${where}` : cut === 2 ? ` in ${where}` : "",
        kind && !steps && cut === 0 && base ? "; too different from the original chunk for a word-by-word comparison" : ""));
  }

  function close() {
    dialog.close();
  }
  dialog.addEventListener("close", () => {
    if (location.hash.startsWith("#rows")) history.replaceState(null, "", location.pathname + location.search);
    state.set = null;
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-set]");
    if (!link) return;
    event.preventDefault();
    location.hash = `#rows/${link.getAttribute("data-set")}`;
  });
  window.addEventListener("hashchange", route);
  route();
})();
