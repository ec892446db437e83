/** The locks that are held, page by page as the server has them. */

import { ask } from './ask.js';
import { clone, element, fill, keyed, millis, printable, say, span } from './dom.js';

const PAGE = 20;
/** The user may not have finished typing. */
const TYPING = 275;
/** A lease that has less of its ttl left than this was not renewed when it should have been. */
const LATE = 0.45;

const page = document.documentElement.dataset;
const opened = new Set();
// A cursor says behind which key its page begins, and how many locks the pages before showed
const view = { cursors: [{ shown: 0 }], next: null, scanned: null, filter: {}, said: undefined, locks: [], readAt: 0 };

let confirmed;
let asking;
let typing;

/** Ask for the page that is shown. Resolves to the locks, or to nothing if the question changed meanwhile. */
export async function readLocks() {
	const asked = JSON.stringify([view.filter, view.cursors]);
	const query = new URLSearchParams({ ...view.filter, limit: PAGE });
	if (view.cursors.length > 1) {
		query.set('after', view.cursors.at(-1).after);
	}
	asking?.abort();
	asking = new AbortController();
	const { signal } = asking;
	let answer;
	try {
		answer = await ask('GET', `${page.locks}?${query}`, { signal });
	}
	catch (problem) {
		if (signal.aborted) {
			return undefined;
		}
		throw problem;
	}
	if (signal.aborted) {
		return undefined;
	}
	view.next = answer.next;
	view.scanned = answer.scanned?.toLocaleString('en');
	view.readAt = performance.now();
	view.locks = answer.locks.map(read);
	showLocks();
	showWhere(asked);
	return view.locks;
}

function read(lock) {
	const holders = lock.holders.map((holder) => ({ ...holder, heldFor: millis(holder.heldFor),
		remaining: millis(holder.remaining), ttl: millis(holder.ttl) }));
	return { ...lock, holders };
}

/** Show the locks as they stand by now; between two answers times go on by themselves. */
export function showLocks() {
	const since = performance.now() - view.readAt;
	keyed(element('locks'), view.locks, (lock) => lock.key, createLock, (body, lock) => showLock(body, lock, since));
	element('locks').setAttribute('aria-busy', 'false');
}

function showWhere(asked) {
	const first = view.cursors.at(-1).shown + 1;
	const filtered = Object.keys(view.filter).length > 0;
	element('empty').hidden = view.locks.length > 0;
	element('locks').hidden = view.locks.length === 0;
	say(element('empty'), (view.next) ? `No match in the ${view.scanned} locks searched so far: choose Next` : (first > 1) ? 'No lock is left on this page'
		: (filtered) ? 'No held lock matches' : 'No lock is held');
	element('back').disabled = view.cursors.length === 1;
	element('next').disabled = !view.next;
	const more = (view.scanned) ? ` of ${view.scanned} searched so far, more with Next` : (view.next) ? ', more follow' : '';
	const where = (view.locks.length) ? `${first} to ${first + view.locks.length - 1}${more}` : '';
	say(element('where'), where);
	if (view.said !== asked) {
		// to those who listen once for each page, not each time it is read
		say(element('found'), where || element('empty').textContent);
		view.said = asked;
	}
}

function createLock(lock) {
	const body = clone('lock');
	body.querySelector('.key').title = printable(lock.key);
	body.querySelector('.key').onclick = () => {
		open(body, lock.key, body.querySelector('.more').hidden);
		showLocks();
	};
	const release = body.querySelector('.release');
	if (page.release !== 'true') {
		release.remove();
	}
	release.setAttribute('aria-label', `Release ${printable(lock.key)} by force`);
	release.onclick = () => confirm(lock.key);
	open(body, lock.key, opened.has(lock.key));
	return body;
}

function open(body, key, wanted) {
	body.querySelector('.more').hidden = !wanted;
	body.querySelector('.key').setAttribute('aria-expanded', wanted);
	opened[wanted ? 'add' : 'delete'](key);
}

function showLock(body, lock, since) {
	const [holder, ...others] = lock.holders;
	const left = holder.remaining - since;
	fill(body, { key: lock.key, holder: others.length ? `${holder.instance} and ${others.length} more` : holder.instance,
		held: span(holder.heldFor + since), left: left > 0 ? span(left) : 'over', waiting: Math.max(lock.waiting.length, lock.waitingHere) || '',
		fence: holder.fence });
	const bar = body.querySelector('.left i');
	bar.style.setProperty('--left', Math.min(1, Math.max(0, left / holder.ttl)).toFixed(3));
	body.classList.toggle('late', left < holder.ttl * LATE);
	if (!body.querySelector('.more').hidden) {
		showMore(body, lock, since);
	}
}

function showMore(body, lock, since) {
	const list = (name, entries) => keyed(body.querySelector(`[data-list=${name}]`), entries, (entry) => entry.id,
		() => clone('entry'), (item, entry) => fill(item, { text: entry.text }));
	list('holders', lock.holders.map((holder) => ({ id: holder.fence, text: `${holder.owner}, fence ${holder.fence}, `
		+ `held for ${span(holder.heldFor + since)}, ${span(holder.remaining - since)} left of ${span(holder.ttl)}`
		+ together(holder.limit) + idle(holder) + (holder.note ? `: ${holder.note}` : '') })));
	list('line', lock.waiting.length ? lock.waiting.map((waiter, place) => ({ id: place, text: waiter.owner + together(waiter.limit) }))
		: [{ id: 'nobody', text: 'Nobody waits' }]);
	body.querySelector('[data-part=previous]').hidden = lock.previous.length === 0;
	list('previous', lock.previous.map((holder) => ({ id: holder.fence, text: `${holder.owner}, fence ${holder.fence}, `
		+ `last renewed ${new Date(holder.renewedAt).toLocaleString()}` })));
}

const idle = (holder) => (holder.idleSince) ? `, idle since ${new Date(holder.idleSince).toLocaleTimeString()}: kept by this instance, not in use`
	: (holder.mayBeIdle) ? ', may be idle: kept by its instance, not in use' : '';

const together = (limit) => (limit === 1) ? '' : (limit > 1_000_000) ? ', shared' : `, with up to ${limit} holders`;

// Pages and filters

/** Call back when another page is wanted. */
export function onTurn(look) {
	const form = element('filter');
	const restored = new URLSearchParams(location.hash.slice(1));
	for (const field of form.elements) {
		field.value = restored.get(field.name) ?? '';
	}
	const filter = () => {
		view.filter = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
		view.cursors = [{ shown: 0 }];
	};
	filter();
	form.oninput = () => {
		asking?.abort();
		clearTimeout(typing);
		typing = setTimeout(() => {
			filter();
			history.replaceState(null, '', '#' + new URLSearchParams(view.filter));
			look();
		}, TYPING);
	};
	form.onsubmit = (event) => event.preventDefault();
	element('next').onclick = () => {
		view.cursors.push({ after: view.next, shown: view.cursors.at(-1).shown + view.locks.length });
		element('next').disabled = true;
		look();
	};
	element('back').onclick = () => {
		view.cursors.pop();
		element('back').disabled = true;
		look();
	};
}

// Release by force

function confirm(key) {
	const lock = view.locks.find((it) => it.key === key);
	if (!lock) {
		return;
	}
	confirmed = { key, fence: Math.max(...lock.holders.map((holder) => holder.fence)) };
	say(element('confirm-key'), key);
	say(element('confirm-holder'), `held by ${lock.holders.map((holder) => holder.owner).join(' and ')}`);
	element('confirm').showModal();
}

/** Call back with what came of a release. */
export function onRelease(say) {
	element('cancel').onclick = () => element('confirm').close();
	element('release').onclick = async () => {
		element('confirm').close();
		const { key, fence } = confirmed;
		try {
			const { released } = await ask('DELETE', `${page.locks}?${new URLSearchParams({ key, fence })}`);
			say(released ? `${key} was released by force` : `${key} was not released: the holders that you saw no longer hold it`);
		}
		catch (problem) {
			say(`${key} was not released: ${problem.message}`, true);
		}
	};
}
