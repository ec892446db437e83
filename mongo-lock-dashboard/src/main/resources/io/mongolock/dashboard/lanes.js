/** The holds of the last minute by instance. */

import { clone, element, fill, keyed, say } from './dom.js';

const WINDOW = 60_000;
const ROWS = 4;
const LANES = 12;
const COLORS = 6;
const TEXT = 56;

const self = document.documentElement.dataset.instance || 'This instance';
const bars = new Map();
let live = false;

/** Take in what a look at the store saw: the holders of the locks in the table. */
export function see(locks) {
	const now = performance.now();
	bars.forEach((bar) => { bar.open = false; });
	for (const lock of locks) {
		for (const holder of lock.holders) {
			const id = `${lock.key}#${holder.fence}`;
			const from = now - holder.heldFor;
			bars.set(id, { row: undefined, ...bars.get(id), id, key: lock.key, lane: holder.instance, from: bars.get(id)?.from ?? from, to: now, open: true });
		}
	}
	show();
}

/** Take in what this instance says of holds that ended; with the first message it says all anew. */
export function hear(activity, first) {
	const now = performance.now();
	live = true;
	if (first) {
		[...bars.values()].filter((bar) => bar.own).forEach((bar) => bars.delete(bar.id));
	}
	for (const turn of activity.turns.filter((it) => it.ago < WINDOW)) {
		const to = now - turn.ago;
		bars.set(`own ${turn.number}`, { id: `own ${turn.number}`, key: turn.key, lane: self, from: to - turn.lasted, to, own: true });
	}
}

/** Show the holds as they stand by now. */
export function show() {
	const now = performance.now();
	for (const bar of bars.values()) {
		// of its own holds this instance says more than a look sees
		if (bar.to < now - WINDOW || (live && !bar.open && !bar.own && bar.lane === self)) {
			bars.delete(bar.id);
		}
	}
	const lanes = Map.groupBy([...bars.values()].sort((one, other) => one.from - other.from), (bar) => bar.lane);
	const names = [...lanes.keys()].sort().slice(0, LANES);
	keyed(element('lanes'), names, (name) => name, () => clone('lane'), (lane, name) => showLane(lane, name, lanes.get(name), now));
	say(element('more-lanes'), (lanes.size > LANES) ? `and ${lanes.size - LANES} more instances` : '');
	element('no-lanes').hidden = lanes.size > 0;
}

function showLane(lane, name, turns, now) {
	const held = turns.filter((bar) => bar.open).length;
	fill(lane, { name: name === '******' ? 'hidden' : name, state: (name === self ? 'this instance, ' : '') + (held ? `holds ${held}` : 'holds none') + (held > ROWS ? `, ${ROWS} drawn` : '') });
	const rows = Array(ROWS).fill(-Infinity);
	const shown = [];
	for (const bar of turns) {
		bar.row = (bar.row !== undefined && rows[bar.row] <= bar.from) ? bar.row : rows.findIndex((to) => to <= bar.from);
		if (bar.row >= 0) {
			rows[bar.row] = bar.open ? Infinity : bar.to;
			shown.push(bar);
		}
	}
	const track = lane.querySelector('.track');
	const width = track.clientWidth;
	keyed(track, shown, (bar) => bar.id, () => document.createElement('span'), (node, bar) => showBar(node, bar, now, width));
}

function showBar(node, bar, now, width) {
	const from = Math.max(0, 1 - (now - bar.from) / WINDOW);
	const to = bar.open ? 1 : 1 - (now - bar.to) / WINDOW;
	node.className = `bar color${color(bar.key)}${bar.open ? ' open' : ''}`;
	node.style.left = `${(from * 100).toFixed(2)}%`;
	node.style.width = `${((to - from) * 100).toFixed(2)}%`;
	node.style.setProperty('--row', bar.row);
	node.title = bar.key;
	say(node, ((to - from) * width > TEXT) ? bar.key : '');
}

const color = (key) => [...key].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7) % COLORS;
