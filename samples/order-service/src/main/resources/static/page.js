const element = (id) => document.getElementById(id);
const money = (cents) => (cents / 100).toLocaleString('en', { minimumFractionDigits: 2 });
const seconds = (millis) => (Math.max(0, millis) / 1000).toFixed(1) + ' s';

/** Make an element; its text is never taken as HTML. */
function make(tag, className, ...content) {
	const made = document.createElement(tag);
	made.className = className || '';
	made.append(...content.map((part) => part ?? ''));
	return made;
}

const row = (...cells) => {
	const made = make('tr');
	made.append(...cells);
	return made;
};
const cell = (...content) => make('td', '', ...content);
const number = (...content) => make('td', 'number', ...content);
const nothing = (columns, text) => {
	const made = make('td', 'empty', text);
	made.colSpan = columns;
	return row(made);
};

async function request(method, path, body) {
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

function say(where, text, error) {
	where.textContent = text;
	where.classList.toggle('error', !!error);
}

/** Run an action of a button: no second click meanwhile, and what went wrong beside it. */
async function act(button, message, action) {
	button.disabled = true;
	say(message, 'Working…');
	try {
		say(message, await action());
	}
	catch (problem) {
		say(message, problem.message, true);
	}
	button.disabled = false;
	await refresh();
}

// Orders

const shown = { search: '', page: 0, pages: 1 };

async function showOrders() {
	const query = new URLSearchParams({ search: shown.search, page: shown.page });
	const found = await request('GET', '/orders?' + query);
	shown.pages = Math.max(1, found.pages);
	element('where').textContent = `${found.page + 1} of ${shown.pages} · ${found.total} orders`;
	element('back').disabled = shown.page === 0;
	element('next').disabled = shown.page >= shown.pages - 1;
	const rows = found.orders.map((order) => row(cell(order.id), cell(order.customer, make('small', '', order.city)),
		cell(order.item), number(money(order.amount)),
		number(...(order.settled ? [make('span', 'tag', 'closed')] : [money(order.balance)])),
		cell(payButton(order))));
	element('orders').replaceChildren(...(rows.length ? rows : [nothing(6, 'None')]));
}

function payButton(order) {
	const button = make('button', '', 'Pay 1.00');
	button.title = 'Holds the lock of this order for 5 seconds';
	button.onclick = () => act(button, element('payment'), async () => {
		const receipt = await request('POST', `/orders/${order.id}/payments`, { amount: 100, takes: 'PT5S' });
		return `Order ${receipt.order}: took ${money(receipt.amount)}, ${money(receipt.balance)} to pay (fence ${receipt.fence})`;
	});
	return button;
}

element('search').onsubmit = (event) => event.preventDefault();
element('search').oninput = (event) => turn(event.target.value, 0);
element('back').onclick = () => turn(shown.search, shown.page - 1);
element('next').onclick = () => turn(shown.search, shown.page + 1);

function turn(search, page) {
	Object.assign(shown, { search, page });
	showOrders().catch(() => {});
}

// Comparison

element('comparison').onsubmit = (event) => {
	event.preventDefault();
	const form = event.target;
	act(form.querySelector('button'), form.querySelector('.message'), async () => {
		element('runs').replaceChildren();
		const id = encodeURIComponent(form.elements.id.value.trim());
		const runs = await request('POST', `/orders/${id}/comparison?payments=50`);
		element('runs').replaceChildren(...runs.map(runCard));
		return '';
	});
};

function runCard(run) {
	const lost = run.after - run.expected;
	const card = make('div', lost ? 'run lost' : 'run', make('h3', '', run.guarded ? 'With the lock' : 'Without the lock'));
	const facts = make('dl');
	for (const [name, value] of [['Payments accepted', `${run.accepted} of ${run.sent}`], ['Balance before', money(run.before)],
			['Balance expected', money(run.expected)], ['Balance after', money(run.after)], ['Time', seconds(run.millis)]]) {
		facts.append(make('dt', '', name), make('dd', '', value));
	}
	card.append(facts, lost ? make('strong', 'bad', `${money(lost)} of the customer's money is lost`)
		: make('strong', 'good', 'Nothing is lost'));
	return card;
}

// Settlement

element('settlement').onsubmit = (event) => {
	event.preventDefault();
	const form = event.target;
	// the button stays enabled: a second click shows a skip
	const message = form.querySelector('.message');
	say(message, 'Running…');
	request('POST', '/settlements')
		.then((run) => say(message, `Closed ${run.orders} orders`))
		.catch((problem) => say(message, problem.message, true))
		.finally(refresh);
};

async function showSettlements() {
	const runs = await request('GET', '/settlements');
	const rows = runs.map((run) => row(cell(new Date(run.startedAt).toLocaleString('en-GB')), cell(run.instance), number(run.orders)));
	element('settlements').replaceChildren(...(rows.length ? rows : [nothing(3, 'Never ran')]));
}

// Locks and this instance

async function showLocks() {
	const locks = await request('GET', '/locks');
	const rows = locks.map((lock) => {
		const holder = cell(lock.instance);
		holder.title = lock.holder;
		return row(cell(make('code', '', lock.key)), holder, number(seconds(lock.heldForMillis)),
			number(seconds(lock.remainingMillis)), number(lock.fence));
	});
	element('locks').replaceChildren(...(rows.length ? rows : [nothing(5, 'None')]));
}

async function showInstance() {
	const instance = await request('GET', '/instance');
	element('instance').replaceChildren(instance.id, make('small', '', `${instance.host}, process ${instance.pid}`));
	element('server').replaceChildren(instance.server,
		make('small', '', instance.inMemory ? 'data lives in memory only' : ''));
	notify(instance.away && 'MongoDB does not answer: payments are refused until it does'
		+ (instance.inMemory ? ', and then the orders are loaded anew, since its data lives in memory only.' : '.'));
	return instance.away;
}

function notify(text) {
	element('notice').hidden = !text;
	element('notice').textContent = text || '';
}

async function refresh() {
	try {
		if (await showInstance()) {
			return;
		}
	}
	catch (problem) {
		notify(problem.message);
		return;
	}
	// what cannot be had now keeps its last look
	await Promise.allSettled([showOrders(), showLocks(), showSettlements()]);
}

/** One look after the other, never two at once. */
async function keepLooking() {
	await refresh();
	setTimeout(keepLooking, 700);
}

keepLooking();
if (new URLSearchParams(location.search).has('compare')) {
	element('comparison').requestSubmit();
}
