package io.mongolock.test.proxy;

import java.io.IOException;

/**
 * The handling of a request and of its replies.
 *
 * @param request run by the thread that reads requests
 * @param reply run by the thread that reads replies
 */
record Action(RequestStep request, ReplyStep reply) {

	private static final RequestStep DELIVER = (exchange, link) -> link.deliver(exchange, 1);

	private static final ReplyStep ANSWER = (exchange, reply, link) -> link.answer(reply.bytes());

	static final Action PASS = new Action(DELIVER, ANSWER);

	static Action onRequest(RequestStep request) {
		return new Action(request, ANSWER);
	}

	static Action onReply(ReplyStep reply) {
		return new Action(DELIVER, reply);
	}

	/**
	 * The handling of a request.
	 */
	@FunctionalInterface
	interface RequestStep {

		void take(Exchange exchange, Link link) throws IOException;

	}

	/**
	 * The handling of a reply.
	 */
	@FunctionalInterface
	interface ReplyStep {

		void take(Exchange exchange, Message reply, Link link) throws IOException;

	}

}
