/** The jobs of all instances and their last runs, page by page as the server has them. */

import { ask } from './ask.js';
import { clone, element, fill, keyed, say, span, time } from './dom.js';

const PAGE = 20;
const RUNS = 20;
/** The user may not have finished typing. */
const TYPING = 275;
/** Until then an instance may be about to run it. */
const LATE = 10_000;
/** What is seen without colours. */
const MARKS = { running: 'R', failed: 'F', timed_out: 'T', abandoned: 'A', skipped: 'S', missed: 'M' };

const page = document.documentElement.dataset;
const opened = new Set();
const view = { from: [''], next: null, jobs: [], mayChange: false, readAt: undefined, failure: undefined };

let asking;
let typing;
let wanted;
let overdue;

/** Ask for the jobs that are shown. What fails is said beside them. */
export async function readJobs() {
	asking?.abort();
	const { signal } = asking = new AbortController();
	try {
		const answer = await ask('GET', `${page.jobs}?${new URLSearchParams({ from: view.from.at(-1), limit: PAGE, runs: RUNS })}`, { signal });
		if (!signal.aborted) {
			Object.assign(view, { jobs: (answer.jobs ?? []).map(read), next: answer.next, mayChange: answer.mayChange && page.change === 'true',
				readAt: performance.now(), failure: undefined });
		}
	}
	catch (problem) {
		if (!signal.aborted) {
			view.failure = problem.message;
		}
	}
	if (!signal.aborted) {
		showPage();
		showJobs();
	}
}

/** All times become durations: by the clock of the server, whatever the browser's says. */
function read(job) {
	const ago = (instant) => Date.parse(job.now) - Date.parse(instant);
	const readRun = (run) => run && { ...run, startedAgo: ago(run.startedAt), endedAgo: run.endedAt && ago(run.endedAt),
		lasted: run.endedAt && Math.max(0, Date.parse(run.endedAt) - Date.parse(run.startedAt)) };
	return { ...job, runs: (job.runs ?? []).map(readRun), running: readRun(job.running), dueIn: job.next && -ago(job.next),
		overdueFor: job.overdueSince && ago(job.overdueSince), pausedFor: job.paused && ago(job.paused.at) };
}

function showPage() {
	const paged = view.from.length > 1 || view.from[0] !== '' || !!view.next;
	// an application may have the module and no jobs
	element('jobs-section').hidden = element('to-jobs').hidden = !view.failure && !paged && view.jobs.length === 0;
	element('jobs-filter').hidden = element('jobs-pager').hidden = !paged;
	element('no-jobs').hidden = !paged || view.jobs.length > 0;
	element('jobs').hidden = view.jobs.length === 0;
	element('jobs-back').disabled = view.from.length === 1;
	element('jobs-next').disabled = !view.next;
	say(element('jobs-where'), (view.jobs.length) ? `To ${view.jobs.at(-1).name}${view.next ? ', more follow' : ''}` : '');
	say(element('jobs-state'), (view.failure) ? `Not up to date: ${view.failure}` : 'Of all instances: overdue jobs first, then by name');
	element('jobs-state').classList.toggle('bad', !!view.failure);
	const late = view.jobs.filter((job) => job.overdueFor > LATE).map((job) => job.name);
	const more = late.filter((name) => overdue && !overdue.includes(name));
	if (more.length) {
		say(element('jobs-news'), `Overdue: ${more.join(', ')}`);
	}
	overdue = late;
}

/** Between two answers times go on by themselves. */
export const tickJobs = () => view.failure || showJobs();

function showJobs() {
	const since = performance.now() - view.readAt;
	keyed(element('jobs'), view.jobs, (job) => job.name, createJob, (body, job) => showJob(body, job, since));
}

function createJob({ name }) {
	const body = clone('job');
	body.querySelector('.key').onclick = () => {
		open(body, name, body.querySelector('.more').hidden);
		showJobs();
	};
	const [run, pause] = body.querySelectorAll('.change');
	run.setAttribute('aria-label', `Run ${name} now`);
	run.onclick = () => confirm(name, 'run');
	pause.onclick = () => confirm(name, pause.dataset.action);
	open(body, name, opened.has(name));
	return body;
}

function open(body, name, shown) {
	body.querySelector('.more').hidden = !shown;
	body.querySelector('.key').setAttribute('aria-expanded', shown);
	opened[shown ? 'add' : 'delete'](name);
}

function showJob(body, job, since) {
	const last = job.runs.find((run) => run.endedAt && run.attempt > 0);
	const state = stateOf(job, since);
	const late = job.overdueFor + since > LATE;
	fill(body, { name: job.name, state, overdue: (late) ? `! overdue for ${span(job.overdueFor + since)}` : '',
		next: (!job.next || job.paused) ? '' : (job.dueIn > since) ? `in ${span(job.dueIn - since)}` : 'now',
		last: last ? `${last.outcome === 'succeeded' ? '' : last.outcome + ' '}${span(last.endedAgo + since)} ago, took ${time(last.lasted)}` : '' });
	body.querySelector('.state').title = state;
	body.querySelector('.key').title = job.name;
	body.classList.toggle('late', late);
	body.querySelector('[data-field=last]').classList.toggle('bad', !!last && last.outcome !== 'succeeded');
	showStrip(body.querySelector('.strip'), job, since);
	const [run, pause] = body.querySelectorAll('.change');
	run.hidden = !view.mayChange || !job.next;
	pause.hidden = !view.mayChange || !job.schedule || job.state === 'no longer scheduled';
	pause.dataset.action = (job.paused) ? 'resume' : 'pause';
	say(pause, (job.paused) ? 'Resume…' : 'Pause…');
	pause.setAttribute('aria-label', `${(job.paused) ? 'Resume' : 'Pause'} ${job.name}`);
	if (!body.querySelector('.more').hidden) {
		showMore(body, job, since);
	}
}

function stateOf({ state, running, paused, pausedFor }, since) {
	const text = (paused) ? `paused for ${span(pausedFor + since)}: ${paused.reason} (${paused.by})` : state;
	return (running) ? `running for ${span(running.startedAgo + since)}${again(running)}${running.note ? `, ${running.note}` : ''}, `
		+ `by ${running.runner}${paused ? `; ${text}` : ''}` : text;
}

const again = ({ attempt }) => (attempt > 1) ? `, attempt ${attempt}` : '';

function showStrip(strip, { name, runs }, since) {
	keyed(strip, runs.toReversed(), (run) => run.tick, () => document.createElement('i'), (node, run) => {
		showMark(node, run);
		node.title = textOf(run, since);
	});
	const counts = Map.groupBy(runs, (run) => run.outcome);
	strip.setAttribute('aria-label', `Last ${runs.length} runs of ${name}: `
		+ ([...counts].map(([outcome, of]) => `${of.length} ${outcome}`).join(', ') || 'none'));
}

function showMark(node, { outcome, attempt }) {
	node.className = `mark ${outcome}`;
	say(node, MARKS[outcome] ?? (attempt > 1 ? attempt : ''));
}

function textOf(run, since) {
	const lasted = (run.outcome === 'running') ? ` for ${span(run.startedAgo + since)}` : (run.attempt > 0) ? ` after ${time(run.lasted)}` : '';
	const failure = [run.exception, run.message].filter((it) => it).join(': ');
	const many = (run.ticks > 1) ? `${run.ticks} ticks from ${new Date(run.firstTick).toLocaleString()} to ` : '';
	return `${many}${new Date(run.tick).toLocaleString()}: ${run.outcome}${lasted}${again(run)}${run.attempt > 0 ? `, by ${run.runner}` : ''}`
		+ (run.note ? `, ${run.note}` : '') + (failure ? `: ${failure}` : '');
}

function showMore(body, job, since) {
	const date = (instant) => new Date(instant).toLocaleString();
	const facts = { schedule: job.schedule ?? 'run by code', state: stateOf(job, since),
		next: (job.next) ? (job.paused ? '' : `next due ${date(job.next)}`) : (job.schedule) ? 'this instance does not schedule the job: an instance that does shows the next due time, and can run it now' : '',
		overdue: (job.overdueFor > LATE) ? `no run has succeeded for the tick ${date(job.overdueSince)}` : '' };
	keyed(body.querySelector('[data-list=facts]'), Object.entries(facts).filter(([, text]) => text), ([id]) => id, () => clone('entry'),
		(item, [, text]) => fill(item, { text }));
	keyed(body.querySelector('[data-list=runs]'), job.runs, (run) => run.tick, (run) => createRun(job.name, run), (item, run) => {
		showMark(item.querySelector('.mark'), run);
		fill(item, { text: textOf(run, since) });
		item.querySelector('.change').hidden = !view.mayChange || !job.next || run.outcome === 'running' || run.ticks > 1;
	});
}

function createRun(name, { tick }) {
	const item = clone('run');
	const button = item.querySelector('.change');
	button.setAttribute('aria-label', `Run ${name} again for ${new Date(tick).toLocaleString()}`);
	button.onclick = () => confirm(name, 'rerun', tick);
	return item;
}

// Pages

/** Call back when other jobs are wanted. */
export function onJobsTurn(look) {
	const form = element('jobs-filter');
	form.oninput = () => {
		clearTimeout(typing);
		typing = setTimeout(() => {
			view.from = [form.elements.from.value];
			look();
		}, TYPING);
	};
	form.onsubmit = (event) => event.preventDefault();
	element('jobs-next').onclick = () => {
		view.from.push(view.next);
		element('jobs-next').disabled = true;
		look();
	};
	element('jobs-back').onclick = () => {
		view.from.pop();
		element('jobs-back').disabled = true;
		look();
	};
}

// Changes

const CHANGES = {
	run: { title: 'Run now?', button: 'Run now', done: 'runs',
		what: 'The instance that answers this page runs the job now, even if it is paused. The schedule stays as it is.' },
	rerun: { title: 'Run this tick again?', button: 'Run again', done: 'runs again',
		what: 'The instance that answers this page runs this tick again, as its next attempt. Work of earlier attempts is repeated.' },
	pause: { title: 'Pause?', button: 'Pause', done: 'is paused',
		what: 'From now on no instance begins a run of this job, and its ticks are skipped. A run under way goes on. Others see your reason.' },
	resume: { title: 'Resume?', button: 'Resume', done: 'is scheduled again',
		what: 'The job runs again from its next tick on. With a fixed delay that may be at once.' },
};

function confirm(job, action, tick) {
	wanted = { job, action, tick };
	const { title, button, what } = CHANGES[action];
	say(element('change-title'), title);
	say(element('change-job'), job);
	say(element('change-tick'), tick ? `tick ${new Date(tick).toLocaleString()}` : '');
	say(element('change-what'), what);
	say(element('change-do'), button);
	const reason = element('change').querySelector('input');
	reason.value = '';
	reason.required = action === 'pause';
	element('change').showModal();
	if (reason.required) {
		reason.focus();
	}
}

/** Call back with what came of a change. */
export function onChange(say) {
	element('change-cancel').onclick = () => element('change').close();
	element('change').querySelector('form').onsubmit = async (event) => {
		event.preventDefault();
		element('change').close();
		const { job, action } = wanted;
		const reason = element('change').querySelector('input').value.trim();
		try {
			await ask('POST', page.jobs, { body: { ...wanted, ...(reason && { reason }) } });
			say(`${job} ${CHANGES[action].done}`);
		}
		catch (problem) {
			// which may have been done all the same, if only the answer is missing
			say(`${CHANGES[action].button} ${job}: ${problem.message}`, true);
		}
	};
}
