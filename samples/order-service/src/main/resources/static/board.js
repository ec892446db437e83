/** Who holds the locks, who waits, and the turns of all instances. All times are the server's. */

import { clone, element, fill, keyed, say, seconds } from './dom.js';

const WINDOW = 60_000;
const SILENT_AFTER = 3_000;
const ROWS = 3;
const COLORS = 6;
const LAST = 7;
const LANES = 6;
const TEXT = 48;

const still = matchMedia('(prefers-reduced-motion: reduce)');
const seen = new Map();
const rows = new Map();
const leaseEnds = new Map();
const silentHolders = new Set();
let newest = 0;
let shownAt;

/** Show what an instance answered. */
export function showBoard(answer) {
	const board = read(answer);
	board.turns.forEach((turn) => extend(turn, board));
	forget(board.turns);
	keyed(element('lanes'), board.instances, (instance) => instance.id, () => clone('lane'),
		(lane, instance) => showLane(lane, instance, board));
	keyed(element('locks'), board.locks, (lock) => lock.key, () => clone('lock'), (card, lock) => showLock(card, lock, board));
	keyed(element('last'), board.turns.slice(0, LAST), (turn) => turn.id, () => clone('last-row'), (row, turn) => showTurn(row, turn, board));
	showNews(board);
	showKill(board);
	shownAt = performance.now();
	move();
}

// Reading

function read(answer) {
	const now = Date.parse(answer.now);
	const instances = remember(answer.instances)
		.map((instance) => ({ ...instance, seenAt: Date.parse(instance.seenAt), self: instance.id === answer.self }))
		.map((instance) => ({ ...instance, silent: !instance.stopped && now - instance.seenAt > SILENT_AFTER }))
		.sort((one, other) => one.port - other.port || one.id.localeCompare(other.id));
	const turns = instances.flatMap((instance) => instance.turns.map((turn) => ({ ...turn, instance,
		id: turn.key + '#' + turn.fence, from: instance.seenAt - turn.startedAgo,
		to: (turn.endedAgo !== null) ? instance.seenAt - turn.endedAgo : null })));
	turns.sort((one, other) => other.from - one.from);
	return { now, instances, turns, locks: readLocks(answer.locks, instances), byId: new Map(instances.map((it) => [it.id, it])) };
}

/** A lane that was shown stays, also when its instance is forgotten by the others, so that nothing below it moves. */
function remember(instances) {
	instances.forEach((instance) => seen.delete(instance.id));
	instances.forEach((instance) => seen.set(instance.id, instance));
	[...seen.keys()].slice(0, -Math.max(LANES, instances.length)).forEach((id) => seen.delete(id));
	return [...seen.values()];
}

/** The locks that somebody holds or waits for. */
function readLocks(held, instances) {
	const locks = new Map(held.map((lock) => [lock.key, { ...lock, waiting: [] }]));
	for (const instance of instances.filter((it) => !it.silent && !it.stopped)) {
		for (const waiting of instance.waiting) {
			if (!locks.has(waiting.key)) {
				locks.set(waiting.key, { key: waiting.key, holders: [], waiting: [] });
			}
			locks.get(waiting.key).waiting.push({ ...waiting, instance });
		}
	}
	const read = [...locks.values()].sort((one, other) => one.key.localeCompare(other.key));
	for (const lock of read) {
		lock.holders = lock.holders.map((holder) => ({ ...holder, acquiredAt: Date.parse(holder.acquiredAt),
			renewedAt: Date.parse(holder.renewedAt), endsAt: Date.parse(holder.endsAt) }));
		lock.holders.forEach((holder) => leaseEnds.set(lock.key + '#' + holder.fence, holder.endsAt));
	}
	return read;
}

/**
 * A turn that nobody ended lasts: if its instance is silent, until the next one or the end of its lease. What
 * a holder took for its turn beyond that was not: it stood still, or learned of its loss late.
 */
function extend(turn, board) {
	const { silent, stopped, seenAt } = turn.instance;
	const until = turn.to ?? ((silent || stopped) ? seenAt : Infinity);
	const next = board.turns.filter((it) => it.key === turn.key && it.fence > turn.fence).at(-1);
	const lapsed = (turn.end === 'RELEASED') ? Infinity
		: Math.min(leaseEnds.get(turn.id) ?? Infinity, (turn.end) ? next?.from ?? Infinity : Infinity);
	turn.sure = Math.min(until, Math.max(turn.from, lapsed));
	if (turn.to === null && silent) {
		turn.silentTo = (next?.takenOverFrom === turn.instance.id) ? next.from : leaseEnds.get(turn.id) ?? turn.sure;
	}
	else if (lapsed < Math.min(until, board.now)) {
		turn.silentTo = until;
	}
}

/** Keep nothing about turns that no instance reports any more. */
function forget(turns) {
	const known = new Set(turns.map((turn) => turn.id));
	for (const memory of [rows, leaseEnds, silentHolders]) {
		[...memory.keys()].filter((id) => !known.has(id)).forEach((id) => memory.delete(id));
	}
}

const name = (instance, id) => (instance ? ':' + instance.port : id);
const whole = (millis) => Math.max(0, Math.floor(millis / 1000)) + ' s';
const rest = (millis) => Math.max(0, Math.ceil(millis / 1000)) + ' s';
const color = (key) => [...key].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7) % COLORS;

// Lanes

function showLane(lane, instance, board) {
	const waiting = instance.waiting.reduce((sum, it) => sum + it.calls, 0);
	const state = (instance.stopped) ? 'stopped'
		: (instance.silent) ? 'silent' : (waiting) ? `${waiting} waiting` : '';
	fill(lane, { name: name(instance), process: `process ${instance.pid}, ${instance.host}`, state });
	link(lane.querySelector('a'), instance, board);
	lane.classList.toggle('self', instance.self);
	lane.classList.toggle('silent', instance.silent || instance.stopped);
	const reel = lane.querySelector('.reel');
	const width = reel.clientWidth;
	keyed(reel, bars(instance, board), (bar) => bar.id, () => document.createElement('span'),
		(span, bar) => showBar(span, bar, board.now, width));
}

function link(anchor, instance, board) {
	const self = board.instances.find((it) => it.self);
	if (instance.self || instance.silent || instance.stopped || instance.host !== self?.host) {
		anchor.removeAttribute('href');
	}
	else {
		anchor.href = `//${location.hostname}:${instance.port}/`;
	}
}

function bars(instance, board) {
	const shown = board.turns.filter((turn) => turn.instance === instance
		&& Math.max(turn.sure, turn.silentTo ?? 0) > board.now - WINDOW).reverse();
	return shown.flatMap((turn) => {
		const bar = { ...turn, to: turn.sure, row: rowOf(turn, shown) };
		return (turn.silentTo > turn.sure)
			? [bar, { ...bar, id: turn.id + '#silent', from: turn.sure, to: turn.silentTo, silent: true }] : [bar];
	});
}

/** The first row of the lane that is free from the beginning of the turn on; once given, it stays. */
function rowOf(turn, shown) {
	if (!rows.has(turn.id)) {
		const before = shown.filter((it) => it !== turn && rows.has(it.id) && Math.max(it.sure, it.silentTo ?? 0) > turn.from);
		const taken = new Set(before.map((it) => rows.get(it.id)));
		rows.set(turn.id, Math.max(0, [...Array(ROWS).keys()].findIndex((row) => !taken.has(row))));
	}
	return rows.get(turn.id);
}

function showBar(span, bar, now, width) {
	const to = Math.min(bar.to, now + WINDOW);
	span.className = `bar color${color(bar.key)}` + (bar.silent ? ' silent' : '');
	span.style.left = `${100 + (bar.from - now) / WINDOW * 100}%`;
	span.style.width = `${(to - bar.from) / WINDOW * 100}%`;
	span.style.setProperty('--row', bar.row);
	say(span, (!bar.silent && (Math.min(to, now) - bar.from) / WINDOW * width > TEXT) ? bar.key.replace(/^order:/, '') : '');
}

/** Let the reels run on between two answers; they stand where motion is not wanted or no answer comes. */
function move() {
	const gone = Math.min(performance.now() - shownAt, 1_500);
	for (const reel of document.querySelectorAll('.reel')) {
		reel.style.transform = `translateX(${still.matches ? 0 : -gone / WINDOW * 100}%)`;
	}
}

(function run() {
	if (shownAt !== undefined && !still.matches) {
		move();
	}
	requestAnimationFrame(run);
})();

// Locks

function showLock(card, lock, board) {
	const holder = lock.holders[0];
	const silent = !!holder && isSilent(holder, board);
	card.className = `lock color${color(lock.key)}` + (silent ? ' silent' : '') + (holder ? '' : ' free');
	fill(card, { key: lock.key, fence: holder ? `fence ${holder.fence}` : '',
		holder: holderText(holder, silent, lock.holders.length - 1, board), lease: leaseText(holder, silent, board),
		waiting: waitingText(lock.waiting) });
	const share = holder ? Math.max(0, holder.endsAt - board.now) / (holder.endsAt - holder.renewedAt) : 0;
	card.querySelector('.lease div').style.width = `${Math.min(1, share) * 100}%`;
	card.title = holder ? holder.owner : '';
}

/** Whether nothing is heard of the instance; of one that never reported, whether it should have renewed long ago. */
function isSilent(holder, board) {
	const instance = board.byId.get(holder.instance);
	// an instance that was started anew has the name of the one before it, and not its locks
	return instance && holder.owner.includes(`pid ${instance.pid},`) ? instance.silent : board.now - holder.renewedAt > (holder.endsAt - holder.renewedAt) * 0.4;
}

function holderText(holder, silent, more, board) {
	if (!holder) {
		return 'Nobody holds it now';
	}
	const who = name(board.byId.get(holder.instance), holder.instance);
	const what = (silent) ? `${who} silent for ${whole(board.now - holder.renewedAt)}, free in ${rest(holder.endsAt - board.now)}`
		: `${who} holds it for ${whole(board.now - holder.acquiredAt)}`;
	return (more > 0) ? `${what}, and ${more} more` : what;
}

function leaseText(holder, silent, board) {
	if (!holder) {
		return '';
	}
	return (silent) ? 'Its lease is not renewed any more'
		: `Lease: ${rest(holder.endsAt - board.now)} left, renewed ${whole(board.now - holder.renewedAt)} ago`;
}

function waitingText(waiting) {
	const who = waiting.map((it) => `${name(it.instance)} ${it.calls > 1 ? `× ${it.calls} ` : ''}for ${whole(it.longest)}`);
	return who.length ? `Waiting: ${who.join(', ')}` : 'Nobody waits';
}

// Last turns

function showTurn(row, turn, board) {
	const end = turn.to ?? (turn.instance.silent ? turn.silentTo : board.now);
	fill(row, { key: turn.key, instance: name(turn.instance), held: seconds(Math.min(end, board.now) - turn.from),
		outcome: outcome(turn, board), fence: turn.fence });
}

function outcome(turn, board) {
	const from = turn.takenOverFrom && `took over from ${name(board.byId.get(turn.takenOverFrom), turn.takenOverFrom)}`;
	const end = (turn.end) ? turn.end.toLowerCase() : (!turn.instance.silent) ? 'holds it'
		: (turn.silentTo > board.now) ? 'silent' : 'lapsed';
	return from ? `${from}, ${end}` : end;
}

// What happened

function showNews(board) {
	const silent = board.locks.filter((lock) => lock.holders[0] && isSilent(lock.holders[0], board));
	const fresh = silent.find((lock) => !silentHolders.has(lock.key + '#' + lock.holders[0].fence));
	silent.forEach((lock) => silentHolders.add(lock.key + '#' + lock.holders[0].fence));
	const taken = board.turns.find((turn) => turn.takenOverFrom && turn.fence > newest);
	if (taken) {
		newest = taken.fence;
		say(element('news'), `${name(taken.instance)} took over ${taken.key} from ${name(board.byId.get(taken.takenOverFrom), taken.takenOverFrom)}`);
	}
	else if (fresh) {
		const holder = fresh.holders[0];
		say(element('news'), `Nothing is heard any more of ${name(board.byId.get(holder.instance), holder.instance)}, which holds ${fresh.key}`);
	}
}

/** How to try a kill from here: the other process must not be the one that runs the embedded server. */
function showKill(board) {
	const others = board.instances.filter((it) => !it.self && !it.silent && !it.stopped);
	if (!others.length && !element('kill-steps').hidden) {
		// the one that was just killed: the steps are still being read
		return;
	}
	const victim = others.find((it) => !it.runsServer);
	const server = !victim && others.find((it) => it.runsServer);
	element('kill-alone').hidden = others.length > 0;
	element('kill-steps').hidden = element('kill-what').hidden = !victim;
	element('kill-server').hidden = !server;
	if (victim) {
		say(element('kill-link'), name(victim));
		link(element('kill-link'), victim, board);
		say(element('kill-command'), `kill -9 ${victim.pid}`);
	}
	if (server) {
		say(element('kill-other'), name(server));
		link(element('kill-other'), server, board);
	}
}
