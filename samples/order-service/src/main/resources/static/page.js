import { showBoard } from './board.js';
import { clone, element, fill, keyed, money, request, say, seconds } from './dom.js';

// Payments

/** Orders of the payments that were sent, until a board shows them. */
let sending = [];

/** Sent at once, however many are under way: each click is a payment. */
async function pay(order, seconds) {
	sending.push({ order, seen: false });
	showPending();
	const mine = sending.at(-1);
	try {
		await request('POST', '/page/payments', { order, amount: 100, takes: seconds });
		// the next board has it
		mine.seen = true;
	}
	catch (problem) {
		sending = sending.filter((it) => it !== mine);
		notify(problem.message);
	}
}

let underway = [];
let holding = [];

/** What this instance has to do for each order in the table: one is paid, the others wait. */
function showPending() {
	for (const row of element('orders').children) {
		const order = row.dataset.key;
		const mine = sending.concat(underway).filter((it) => it.order === order).length;
		const paid = (mine && holding.includes(order)) ? 1 : 0;
		const texts = [paid && 'is paid', (mine > paid) && `${mine - paid} ${mine - paid === 1 ? 'waits' : 'wait'}`];
		fill(row, { pending: texts.filter((it) => it).join(', ') });
	}
}

function showBoardOf(board) {
	const self = board.instances.find((it) => it.id === board.self);
	underway = board.sent.filter((it) => !it.receipt && !it.problem);
	holding = (self?.turns ?? []).filter((turn) => !turn.end).map((turn) => turn.key.replace(/^order:/, ''));
	showBoard(board);
	showSent(board.sent);
	showPending();
}

function showSent(sent) {
	keyed(element('sent'), sent.slice(-3).reverse(), (it) => it.number, () => clone('sent-row'), (row, it) => {
		fill(row, { what: `${it.order}, ${money(it.amount)}:`, outcome: sentOutcome(it) });
		row.classList.toggle('error', !!it.problem);
	});
}

function sentOutcome({ receipt, problem }) {
	return (receipt) ? `taken, ${money(receipt.balance)} to pay` : problem ?? 'under way';
}

element('pay').onsubmit = (event) => {
	event.preventDefault();
	pay(event.target.elements.order.value.trim(), Number(event.submitter.value));
};

// Orders

const shown = { search: '', page: 0, pages: 1 };

async function showOrders() {
	const query = new URLSearchParams({ search: shown.search, page: shown.page });
	const found = await request('GET', '/orders?' + query);
	shown.pages = Math.max(1, found.pages);
	say(element('where'), found.total ? `${found.page + 1} of ${shown.pages} · ${found.total} orders` : '');
	element('no-orders').hidden = found.total > 0;
	element('back').disabled = shown.page === 0;
	element('next').disabled = shown.page >= shown.pages - 1;
	keyed(element('orders'), found.orders, (order) => order.id, createOrder, (row, order) => fill(row, {
		id: order.id, customer: order.customer, city: order.city, item: order.item, amount: money(order.amount),
		balance: order.settled ? 'closed' : money(order.balance) }));
	showPending();
}

function createOrder(order) {
	const row = clone('order-row');
	const button = row.querySelector('button');
	button.setAttribute('aria-label', `Pay 1.00 for order ${order.id}`);
	button.title = 'Holds the lock of this order for 5 seconds';
	button.onclick = () => pay(order.id, 5);
	return row;
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

element('comparison').onsubmit = async (event) => {
	event.preventDefault();
	const form = event.target;
	const button = form.querySelector('button');
	const message = form.nextElementSibling;
	button.disabled = true;
	say(message, 'Working…');
	try {
		const id = encodeURIComponent(form.elements.id.value.trim());
		const runs = await request('POST', `/orders/${id}/comparison?payments=50`);
		showRuns(runs);
		say(message, '');
	}
	catch (problem) {
		say(message, problem.message, true);
	}
	button.disabled = false;
};

const showRuns = (runs) => keyed(element('runs'), runs, (run) => run.guarded, () => clone('run'), showRun);

function showRun(card, run) {
	say(card.querySelector('h3'), run.guarded ? 'With the lock' : 'Without the lock');
	if (run.sent === undefined) {
		return;
	}
	const lost = run.after - run.expected;
	card.classList.add(lost ? 'lost' : 'kept');
	card.classList.remove(lost ? 'kept' : 'lost');
	fill(card, { accepted: `${run.accepted} of ${run.sent}`,
		before: money(run.before), expected: money(run.expected), after: money(run.after), time: seconds(run.millis),
		verdict: lost ? `${money(lost)} of the customer's money is lost` : 'Nothing is lost' });
}

// Settlement

element('settlement').onsubmit = (event) => {
	event.preventDefault();
	// the button stays enabled: a second click shows a skip
	const message = event.target.nextElementSibling;
	say(message, 'Running…');
	request('POST', '/settlements')
		.then((run) => say(message, `Closed ${run.orders} orders`))
		.catch((problem) => say(message, problem.message, true));
};

async function showSettlements() {
	const runs = await request('GET', '/settlements');
	keyed(element('settlements'), runs, (run) => run.id, () => clone('settlement-row'), (row, run) => fill(row,
		{ started: new Date(run.startedAt).toLocaleString('en-GB'), instance: run.instance, orders: run.orders }));
}

// This instance

async function showInstance() {
	const instance = await request('GET', '/instance');
	say(element('instance'), instance.id);
	say(element('process'), `process ${instance.pid}`);
	say(element('server'), instance.server);
	say(element('memory'), instance.inMemory ? 'data lives in memory only' : '');
	if (instance.away) {
		throw new Error('MongoDB does not answer: payments are refused until it does'
			+ (instance.inMemory ? ', and then the orders are loaded anew, since its data lives in memory only.' : '.'));
	}
}

let noticed = 0;

function notify(text) {
	noticed = performance.now();
	element('notice').hidden = !text;
	say(element('notice'), text);
}

async function refresh() {
	try {
		await showInstance();
	}
	catch (problem) {
		notify(problem.message);
		return;
	}
	if (performance.now() - noticed > 5_000) {
		notify('');
	}
	// what cannot be had now keeps its last look
	const answered = sending.filter((it) => it.seen);
	const looks = await Promise.allSettled([showOrders(), showSettlements(), request('GET', '/page/board').then((board) => {
		sending = sending.filter((it) => !answered.includes(it));
		showBoardOf(board);
	})]);
	looks.filter((look) => look.reason).forEach((look) => console.warn(look.reason));
}

/** One look after the other, never two at once. */
async function keepLooking() {
	await refresh();
	setTimeout(keepLooking, 500);
}

// their place is taken before they come, so that nothing below moves
showRuns([{ guarded: true }, { guarded: false }]);
keepLooking();
if (new URLSearchParams(location.search).has('compare')) {
	element('comparison').requestSubmit();
}
