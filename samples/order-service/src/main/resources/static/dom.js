/** What the page needs to change the document without replacing what is there. */

export const element = (id) => document.getElementById(id);

export const clone = (template) => element(template).content.firstElementChild.cloneNode(true);

/** Set a text, and touch nothing if it is the same. Texts are never taken as HTML. */
export function say(node, text, error) {
	const value = String(text ?? '');
	if (node.textContent !== value) {
		node.textContent = value;
	}
	node.classList.toggle('error', !!error);
}

/** Set the texts of the parts of a node by the names of their fields. */
export function fill(node, texts) {
	for (const [name, text] of Object.entries(texts)) {
		say(node.querySelector(`[data-field=${name}]`), text);
	}
	return node;
}

/**
 * Show one child for each item. A child stays the same element for as long as its key is
 * among the items, and is not moved, so that a click begun on it ends on it and the focus
 * stays.
 */
export function keyed(parent, items, keyOf, create, update) {
	const wanted = new Map(items.map((item) => [String(keyOf(item)), item]));
	const present = new Map();
	for (const child of [...parent.children]) {
		if (wanted.has(child.dataset.key)) {
			present.set(child.dataset.key, child);
		}
		else {
			child.remove();
		}
	}
	let next = parent.firstElementChild;
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

/** Ask this instance; what it refuses is an error with its reason. */
export async function request(method, path, body) {
	let response;
	try {
		response = await fetch(path, {
			method, body: body && JSON.stringify(body), headers: body && { 'Content-Type': 'application/json' } });
	}
	catch {
		throw new Error('This instance does not answer');
	}
	const answer = await response.json();
	if (!response.ok) {
		throw new Error(answer.detail);
	}
	return answer;
}

export const money = (cents) => (cents / 100).toLocaleString('en', { minimumFractionDigits: 2 });
export const seconds = (millis) => (Math.max(0, millis) / 1000).toFixed(1) + ' s';
