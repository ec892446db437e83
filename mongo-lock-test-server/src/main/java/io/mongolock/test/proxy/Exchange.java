package io.mongolock.test.proxy;

/**
 * A request, with the handling of its replies. Used by the two threads of one connection.
 */
final class Exchange {

	private final String command;

	private final Message request;

	private final Action action;

	private final boolean streaming;

	private volatile int expected;

	private volatile int answered;

	Exchange(String command, Message request, Action action) {
		this(command, request, action, false);
	}

	private Exchange(String command, Message request, Action action, boolean streaming) {
		this.command = command;
		this.request = request;
		this.action = action;
		this.streaming = streaming;
	}

	/**
	 * The same exchange for the replies that follow the first one by themselves. They
	 * pass untouched, and no client waits for them.
	 * @return another exchange
	 */
	Exchange stream() {
		return new Exchange(this.command, this.request, Action.PASS, true);
	}

	String command() {
		return this.command;
	}

	Message request() {
		return this.request;
	}

	Action action() {
		return this.action;
	}

	boolean isStreaming() {
		return this.streaming;
	}

	void expect(int replies) {
		this.expected = replies;
	}

	/**
	 * Count a reply. Only the thread that reads replies calls this.
	 * @return which reply this is, from 1
	 */
	int countReply() {
		int count = this.answered + 1;
		this.answered = count;
		return count;
	}

	boolean isFirstReply() {
		return this.answered == 1;
	}

	boolean isAnswered() {
		return this.answered >= this.expected;
	}

}
