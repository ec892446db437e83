/** Looks at the locks again and again, while somebody looks at the page. */

import { element, say, span } from './dom.js';
import { onChange, onJobsTurn, readJobs, tickJobs } from './jobs.js';
import { hear, see, show } from './lanes.js';
import { close, listen } from './live.js';
import { onRelease, onTurn, readLocks, showLocks } from './locks.js';

const page = document.documentElement.dataset;
const EVERY = 2_000;

let timer;
let looks = 0;
let readAt;
let failure;
let paused = false;

/** One look after the other; one that is asked for between two comes at once. */
async function look() {
	clearTimeout(timer);
	const mine = ++looks;
	const jobs = page.jobs && readJobs();
	try {
		const locks = page.locks && await readLocks();
		if (locks) {
			see(locks);
			readAt = performance.now();
			failure = undefined;
		}
	}
	catch (problem) {
		failure = problem.message;
	}
	showState();
	await jobs;
	if (mine === looks && !paused && !document.hidden) {
		timer = setTimeout(look, EVERY);
	}
}

function showState() {
	const state = (!page.locks) ? 'No locks to show: expose the endpoint mongolocks, too (management.endpoints.web.exposure.include)'
		: (failure) ? `Not up to date: ${failure}`
		: (paused) ? `Paused ${span(performance.now() - readAt)} ago` : (readAt) ? 'Up to date' : 'Looking…';
	say(element('looked'), state);
	document.body.classList.toggle('failed', !!failure);
}

function tick() {
	if (!document.hidden) {
		showState();
		if (!paused && !failure) {
			showLocks();
			show();
		}
		if (!paused) {
			tickJobs();
		}
	}
}

/** Begin or end to look and to listen, as the page is in front and not paused. */
function attend() {
	clearTimeout(timer);
	close();
	if (!paused && !document.hidden) {
		look();
		if (page.locks) {
			listen(hear);
		}
	}
	showState();
}

function tell(text, isError) {
	say(element('notice'), text);
	element('notice').classList.toggle('error', !!isError);
	setTimeout(() => element('notice').textContent === text && say(element('notice'), ''), 8_000);
	look();
}

element('pause').onclick = () => {
	paused = !paused;
	element('pause').setAttribute('aria-pressed', paused);
	attend();
};
document.addEventListener('visibilitychange', attend);

onTurn(look);
onRelease(tell);
onJobsTurn(look);
onChange(tell);
attend();
setInterval(tick, 1_000);
