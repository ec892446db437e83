/** The desk: what is shown comes with one request a second; what is typed stays. */

const HEARTBEAT = 3000;

const element = (id) => document.getElementById(id);
const editor = element('editor');
const fields = editor.elements;

/** What this window edits: the ticket of its lock, or nothing. */
let editing = null;

/** The draft that is on its way, or was last: a save waits for it. */
let drafting = Promise.resolve();

/** What this window edits still, after somebody has changed it in the background, or nothing. */
let changed = null;

/** The number of the lock of the other one who edits, or nothing. */
let another = null;

/** Set a text, and touch nothing if it is the same. Texts are never taken as HTML. */
function say(node, text) {
	if (node.textContent !== String(text)) {
		node.textContent = text;
	}
}

function show(article, { title, text }) {
	say(article.querySelector('h3'), title);
	say(article.querySelector('p'), text);
}

let noticeEnds;

function notice(text) {
	say(element('notice'), text);
	element('notice').hidden = false;
	clearTimeout(noticeEnds);
	noticeEnds = setTimeout(() => element('notice').hidden = true, 6000);
}

/** Ask the desk; what it refuses is an error with the whole answer. */
async function request(method, path, body) {
	let response;
	try {
		response = await fetch(path, {
			method, body: body && JSON.stringify(body), headers: body && { 'Content-Type': 'application/json' } });
	}
	catch {
		throw new Error('The desk does not answer');
	}
	const text = await response.text();
	const answer = text && JSON.parse(text);
	if (!response.ok) {
		throw Object.assign(new Error(answer.detail), answer);
	}
	return answer;
}

async function attempt(action) {
	try {
		await action();
	}
	catch (error) {
		notice(error.message);
	}
	await refresh();
}

function who(holder) {
	const button = element('begin').querySelector('button');
	button.disabled = !!holder && holder.millis > 0;
	say(button, holder && holder.millis === 0 ? 'Take over' : 'Edit');
	another = holder && holder.millis > 0 ? holder.fence : null;
	element('instead').hidden = !another;
	const seconds = holder && Math.ceil(holder.millis / 1000);
	if (editing) {
		return whileEditing(holder, seconds);
	}
	if (!holder) {
		return 'Nobody edits';
	}
	return seconds > 0 ? `${holder.name} edits, for ${seconds} s more at least`
			: `The time of ${holder.name} is over: the next one may take over`;
}

function whileEditing(holder, seconds) {
	if (!holder || holder.fence !== editing.fence) {
		return `${holder ? holder.name : 'Somebody'} has taken over: what you save now is refused if anything was changed`;
	}
	if (seconds === 0) {
		return 'Your time is over: you can still save until somebody takes over';
	}
	return `You edit, for ${seconds} s more${fields.heartbeat.checked ? ', which the heartbeat renews' : ''}`;
}

async function refresh() {
	const asked = editing;
	try {
		const desk = await request('GET', 'desk');
		show(element('read'), desk.article);
		if (asked === editing) {
			say(element('who'), who(desk.holder));
		}
		say(element('clicks'), desk.clicks);
		element('orders').replaceChildren(...desk.orders.map(({ number, item }) => {
			const row = document.createElement('li');
			const shown = document.createElement('b');
			shown.textContent = number;
			row.append(shown, item);
			return row;
		}));
	}
	catch (error) {
		say(element('who'), error.message);
	}
}

function open(begun) {
	editing = begun && { ...begun, number: newNumber() };
	element('begin').hidden = !!begun;
	element('read').hidden = !!begun;
	editor.hidden = !begun;
	if (begun) {
		fields.title.value = begun.article.title;
		fields.text.value = begun.article.text;
		fields.heartbeat.checked = true;
		fields.text.focus();
	}
}

const newNumber = () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER) + 1;

const texts = () => ({ title: fields.title.value, text: fields.text.value });

const same = (one, other) => one.title === other.title && one.text === other.text;

/** What was typed since the last draft. Its number stays the same until there is an answer, and tells a repetition. */
async function draft() {
	const own = editing;
	const saved = await request('POST', 'article/draft', { ticket: own.ticket, number: own.number, ...texts() });
	if (editing === own) {
		editing = { ...saved, number: newNumber() };
	}
}

/** A second click on Save finds that its text is there. */
async function save() {
	const own = texts();
	try {
		await request('POST', 'article/save', { ticket: editing.ticket, number: editing.number, ...own });
	}
	catch (error) {
		if (error.ticket || !error.theirs || !same(error.theirs, own)) {
			throw error;
		}
	}
}

const heartbeat = () => request('POST', 'article/heartbeat', { ticket: editing.ticket });

function overtaken({ theirs, ticket }) {
	changed = ticket ? { ticket, fence: editing.fence, article: theirs } : null;
	say(element('conflict-title'), changed ? 'Not saved: changed since you opened it' : 'Not saved: somebody else took over');
	show(element('mine'), texts());
	show(element('theirs'), theirs);
	open(null);
	element('begin').hidden = true;
	element('read').hidden = true;
	element('conflict').hidden = false;
	element('both').focus();
}

/** Go on unless somebody else took over or changed it, which shows both versions. */
async function whileHeld(action) {
	try {
		await action();
	}
	catch (error) {
		if (!error.theirs) {
			throw error;
		}
		if (editing) {
			overtaken(error);
		}
	}
}

element('begin').addEventListener('submit', (event) => {
	event.preventDefault();
	const { name } = event.target.elements;
	attempt(async () => open(await request('POST', 'article/edit', { name: name.value })));
});

/** Nobody else than the one who is shown loses the article. */
element('instead').addEventListener('click', () => attempt(async () => {
	const { name } = element('begin').elements;
	if (name.reportValidity()) {
		open(await request('POST', 'article/take-over', { name: name.value, fence: another }));
	}
}));

editor.addEventListener('submit', (event) => {
	event.preventDefault();
	attempt(() => whileHeld(async () => {
		await drafting;
		if (editing) {
			await save();
			open(null);
		}
	}));
});

element('cancel').addEventListener('click', () => attempt(async () => {
	await drafting;
	const ticket = editing?.ticket;
	open(null);
	if (ticket) {
		await request('POST', 'article/cancel', { ticket });
	}
}));

const mine = () => ['h3', 'p'].map((part) => element('mine').querySelector(part).textContent);

/** Their text with one's own below it, under a new lock unless it is still one's own. One who edits by now is not disturbed. */
element('both').addEventListener('click', () => attempt(async () => {
	const begun = changed ?? await request('POST', 'article/edit', { name: element('begin').elements.name.value });
	const [title, text] = mine();
	element('conflict').hidden = true;
	open(begun);
	fields.text.value = [begun.article.text, (title === begun.article.title) ? '' : title, text].filter((it) => it).join('\n\n');
}));

element('copy').addEventListener('click', async () => {
	try {
		await navigator.clipboard.writeText(mine().join('\n\n'));
		notice('Copied');
	}
	catch {
		getSelection().selectAllChildren(element('mine'));
		notice('This browser lets no page copy: your text is selected, copy it by hand');
	}
});

element('understood').addEventListener('click', () => attempt(async () => {
	element('conflict').hidden = true;
	open(null);
	if (changed) {
		await request('POST', 'article/cancel', { ticket: changed.ticket });
	}
}));

element('review').addEventListener('click', () => attempt(() => request('POST', 'article/review')));

element('order').addEventListener('submit', (event) => {
	event.preventDefault();
	const field = event.target.querySelector('input');
	attempt(async () => {
		await request('POST', 'orders', { item: field.value });
		field.value = '';
	});
});

async function click(times) {
	const before = performance.now();
	let done = 0;
	const progress = () => say(element('counted'), `${done} of ${times} counted…`);
	progress();
	await Promise.all(Array.from({ length: times }, async () => {
		await request('POST', 'clicks');
		if (++done % 10 === 0) {
			progress();
		}
	}));
	say(element('counted'), `${times} counted in ${Math.round(performance.now() - before)} ms`);
}

element('one').addEventListener('click', () => attempt(() => click(1)));
element('hundred').addEventListener('click', () => attempt(() => click(100)));

setInterval(() => {
	if (editing && fields.heartbeat.checked) {
		drafting = drafting.then(() => editing && whileHeld(same(editing.article, texts()) ? heartbeat : draft))
			.catch((error) => notice(error.message));
	}
}, HEARTBEAT);
setInterval(refresh, 1000);
refresh();
