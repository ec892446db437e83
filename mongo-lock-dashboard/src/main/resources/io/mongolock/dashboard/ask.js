/** Requests to the endpoints, and why they were refused. */

const REFUSALS = { 401: 'you have to log in', 403: 'you may not do that', 404: 'there is no such lock, job or endpoint', 405: 'it is not allowed here',
	503: 'MongoDB does not answer' };

/**
 * Ask for something. Resolves to the answer.
 * @param body what to send, if anything
 * @param signal aborts it
 */
export async function ask(method, path, { body, signal } = {}) {
	const headers = { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }), ...csrf(method) };
	let response;
	try {
		response = await fetch(path, { method, signal, headers, body: body && JSON.stringify(body) });
	}
	catch {
		throw new Error('this instance does not answer');
	}
	if (!response.ok) {
		throw new Error(await reason(response) ?? REFUSALS[response.status] ?? `the server answered ${response.status}`);
	}
	// nothing is said of a lock that nobody ever asked for
	return (response.status === 204) ? {} : response.json();
}

/** What an endpoint says itself; the error page of the application has a status, too, and says less. */
async function reason(response) {
	const { error, status } = await response.json().catch(() => ({}));
	return (status === undefined) ? error : undefined;
}

/** Where the application protects itself by a cookie that scripts may read, it wants to see it. */
function csrf(method) {
	const token = /(?:^|; )XSRF-TOKEN=([^;]*)/.exec(document.cookie);
	return (method !== 'GET' && token) ? { 'X-XSRF-TOKEN': decodeURIComponent(token[1]) } : {};
}
