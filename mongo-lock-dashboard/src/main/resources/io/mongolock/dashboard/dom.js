/** Changes the document without replacing what is there, so that focus, scroll and selection stay. */

export const element = (id) => document.getElementById(id);

export const clone = (template) => element(template).content.firstElementChild.cloneNode(true);

/** Marks of a text that would turn the order of what stands beside it, as they are escaped in logs. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const printable = (text) => String(text ?? '').replace(TURNS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Set a text, and touch nothing if it is the same. Texts are never taken as HTML. */
export function say(node, text) {
	const value = printable(text);
	if (node.textContent !== value) {
		node.textContent = value;
	}
}

/** Set the texts of the parts of a node by the names of their fields. */
export function fill(node, texts) {
	for (const [name, text] of Object.entries(texts)) {
		say(node.matches(`[data-field=${name}]`) ? node : node.querySelector(`[data-field=${name}]`), text);
	}
}

/**
 * Show one child for each item, behind those children that have no key. A child stays the
 * same element for as long as its key is among the items.
 */
export function keyed(parent, items, keyOf, create, update) {
	const wanted = new Map(items.map((item) => [String(keyOf(item)), item]));
	const present = new Map();
	let next = null;
	for (const child of [...parent.children]) {
		if (child.dataset.key === undefined) {
			continue;
		}
		if (wanted.has(child.dataset.key)) {
			present.set(child.dataset.key, child);
			next ??= child;
		}
		else {
			child.remove();
		}
	}
	for (const [key, item] of wanted) {
		const child = present.get(key) ?? create(item);
		child.dataset.key = key;
		if (child === next) {
			next = next.nextElementSibling;
		}
		else {
			parent.insertBefore(child, next);
		}
		update(child, item);
	}
}

/** The milliseconds of a duration, for example PT1M2.5S, or of a number of seconds. */
export function millis(duration) {
	const parts = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(duration);
	return (parts) ? ((Number(parts[1] ?? 0) * 60 + Number(parts[2] ?? 0)) * 60 + Number(parts[3] ?? 0)) * 1000
		: Number(duration) * 1000;
}

/** A duration as people say it, in its two largest units. */
export function span(milliseconds) {
	const seconds = Math.max(0, Math.floor(milliseconds / 1000));
	const units = [[Math.floor(seconds / 86_400), 'd'], [Math.floor(seconds / 3_600) % 24, 'h'],
		[Math.floor(seconds / 60) % 60, 'min'], [seconds % 60, 's']];
	const first = Math.max(0, units.findIndex(([count]) => count > 0));
	const said = (seconds > 0) ? units.slice(first, first + 2).filter(([count]) => count > 0) : [[0, 's']];
	return said.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** A duration that may be a short one. */
export const time = (milliseconds) => (milliseconds < 1_000) ? `${milliseconds} ms` : span(milliseconds);
