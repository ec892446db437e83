/** The history of this instance's locks, which it sends once a second. */

import { clone, element, fill, keyed, say, span, time } from './dom.js';

const AGAIN = 15_000;

const page = document.documentElement.dataset;

let source;
let again;
let last;
let lost;

/** Listen to this instance. Calls back with each message, and whether it is the first of a connection. */
export function listen(show) {
	close();
	let first = true;
	source = new EventSource(`${page.locks}/events`);
	source.onopen = () => { first = true; };
	source.addEventListener('activity', (event) => {
		last = JSON.parse(event.data);
		showActivity();
		show(last, first);
		first = false;
	});
	source.onerror = () => {
		state('Not live: this instance does not answer');
		if (source.readyState === EventSource.CLOSED) {
			state('Not live: you may not see this, or too many pages are open');
			again = setTimeout(() => listen(show), AGAIN);
		}
	};
}

/** Listen no more. */
export function close() {
	clearTimeout(again);
	source?.close();
}

const state = (text) => say(element('live'), text);

function showActivity() {
	const { held, waiting, lost: count } = last;
	state(`Holds ${number(held, 'lock')}, ${number(waiting, 'attempt')} ${waiting === 1 ? 'waits' : 'wait'}, ${number(count, 'lock')} lost`);
	const names = element('names');
	keyed(names, last.names, ({ name }) => name, () => document.createElement('option'), (option, { name }) => {
		option.value = name;
		say(option, name === 'none' ? 'without a name' : name);
	});
	showHistograms();
	keyed(element('losses'), last.losses, (loss) => loss.number, () => clone('entry'),
		(item, loss) => fill(item, { text: `${loss.key}: ${REASONS[loss.reason] ?? loss.reason}, ${span(loss.ago)} ago` }));
	element('no-losses').hidden = last.losses.length > 0;
	keyed(element('deadlocks'), last.deadlocks, (deadlock) => deadlock.number, () => clone('entry'),
		(item, deadlock) => fill(item, { text: `${deadlock.keys.join(', ')}: their holders waited for each other, ${span(deadlock.ago)} ago` }));
	element('deadlocks-title').hidden = last.deadlocks.length === 0;
	if (lost !== undefined && count > lost) {
		say(element('news'), `${number(count - lost, 'lock')} lost: ${last.losses[0].key}`);
	}
	lost = count;
}

const REASONS = { deadline: 'not renewed in time', refused: 'taken over, released by force or deleted', shutdown: 'this instance stopped' };

const number = (count, what) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

// Histograms

function showHistograms() {
	const chosen = last.names.filter(({ name }) => !element('names').value || name === element('names').value);
	for (const what of ['waits', 'holds']) {
		const counts = Array.from({ length: last.bounds.length + 1 }, (none, index) => chosen.reduce((sum, it) => sum + it[what][index], 0));
		showHistogram(element(what), counts, what === 'waits' ? 'grant' : 'hold');
	}
}

function showHistogram(figure, counts, what) {
	const total = counts.reduce((sum, count) => sum + count, 0);
	const most = Math.max(1, ...counts);
	say(figure.querySelector('.summary'), (total) ? `${number(total, what)}: half ${within(counts, 0.5)}, 99 % ${within(counts, 0.99)}` : 'None yet');
	const bars = counts.map((count, index) => ({ count, index, label: label(index) }));
	keyed(figure.querySelector('.bars'), bars, (bar) => bar.index, () => clone('column'), (column, bar) => {
		fill(column, { label: bar.label });
		column.title = `${range(bar.index)}: ${bar.count.toLocaleString('en')}`;
		// Anything that is there is seen
		column.firstElementChild.style.height = bar.count ? `${Math.max(3, bar.count / most * 100)}%` : '0';
	});
}

function within(counts, share) {
	const needed = counts.reduce((sum, count) => sum + count, 0) * share;
	let sum = 0;
	const index = counts.findIndex((count) => (sum += count) >= needed);
	return (index < last.bounds.length) ? `within ${time(last.bounds[index])}` : `in more than ${time(last.bounds.at(-1))}`;
}

const range = (index) => (index < last.bounds.length) ? `up to ${time(last.bounds[index])}` : `more than ${time(last.bounds.at(-1))}`;

/** Short ones, because there are thirteen side by side; the unit stands where it begins. */
function label(index) {
	const bound = last.bounds[index];
	const before = last.bounds[index - 1];
	const [unit, size] = [['ms', 1], ['s', 1_000], ['min', 60_000]].findLast(([, it]) => bound >= it) ?? ['', 1];
	return (bound === undefined) ? 'more' : (before !== undefined && before >= size) ? String(bound / size) : `${bound / size} ${unit}`;
}

element('names').onchange = () => last && showHistograms();
