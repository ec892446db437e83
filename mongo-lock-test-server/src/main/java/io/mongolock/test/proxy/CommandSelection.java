package io.mongolock.test.proxy;

import java.time.Duration;
import java.util.Arrays;
import java.util.function.Predicate;

import org.bson.BsonDocument;
import org.bson.BsonString;

/**
 * A selection of commands, for which a fault is chosen. Immutable.
 */
public final class CommandSelection {

	private final Switchboard board;

	private final Predicate<Command> condition;

	CommandSelection(Switchboard board, Predicate<Command> condition) {
		this.board = board;
		this.condition = condition;
	}

	/**
	 * Select only commands on one collection.
	 * @param collection the name of the collection
	 * @return a narrower selection
	 */
	public CommandSelection collection(String collection) {
		return and((command) -> command.collection().equals(collection));
	}

	/**
	 * Select only commands on one database.
	 * @param database the name of the database
	 * @return a narrower selection
	 */
	public CommandSelection database(String database) {
		return when((document) -> new BsonString(database).equals(document.get("$db")));
	}

	/**
	 * Select only commands that meet a condition.
	 * @param condition the condition; it gets the whole command, for example
	 * {@code {update: "locks", updates: […], $db: "test"}}; called on a thread of the
	 * proxy
	 * @return a narrower selection
	 */
	public CommandSelection when(Predicate<BsonDocument> condition) {
		return and((command) -> condition.test(command.document()));
	}

	/**
	 * The request never reaches the server; the connection stays open.
	 * @return the fault, whose number of times must still be set
	 */
	public FaultCount dropRequest() {
		return fault(Action.onRequest((exchange, link) -> {
		}));
	}

	/**
	 * The request is executed, but the reply never reaches the client; the connection
	 * stays open.
	 * @return the fault, whose number of times must still be set
	 */
	public FaultCount dropReply() {
		return fault(Action.onReply((exchange, reply, link) -> {
		}));
	}

	/**
	 * The request is executed twice, one after the other; the client sees one reply.
	 * @return the fault, whose number of times must still be set
	 */
	public FaultCount duplicateRequest() {
		return fault(new Action((exchange, link) -> link.deliver(exchange, 2), (exchange, reply, link) -> {
			if (exchange.isFirstReply()) {
				link.answer(reply.bytes());
			}
		}));
	}

	/**
	 * The request reaches the server later, even if the client has given up meanwhile.
	 * @param delay how much later
	 * @return the fault, whose number of times must still be set
	 */
	public FaultCount delayRequest(Duration delay) {
		return fault(Action.onRequest((exchange, link) -> {
			link.pause(delay);
			link.deliver(exchange, 1);
		}));
	}

	/**
	 * The reply reaches the client later.
	 * @param delay how much later
	 * @return the fault, whose number of times must still be set
	 */
	public FaultCount delayReply(Duration delay) {
		return fault(Action.onReply((exchange, reply, link) -> {
			link.pause(delay);
			link.answer(reply.bytes());
		}));
	}

	/**
	 * The reply trickles in.
	 * @param bytesPerSecond the speed, at least 1
	 * @return the fault, whose number of times must still be set
	 */
	public FaultCount drip(int bytesPerSecond) {
		if (bytesPerSecond < 1) {
			throw new IllegalArgumentException("A reply must drip at 1 byte per second or more, not " + bytesPerSecond);
		}
		Duration perByte = Duration.ofSeconds(1).dividedBy(bytesPerSecond);
		return fault(Action.onReply((exchange, reply, link) -> link.drip(reply, perByte)));
	}

	/**
	 * The connection is reset instead of delivering the request.
	 * @return the fault, whose number of times must still be set
	 */
	public FaultCount cut() {
		return fault(Action.onRequest((exchange, link) -> link.cut()));
	}

	/**
	 * The request is executed, and the connection is reset instead of delivering the
	 * reply.
	 * @return the fault, whose number of times must still be set
	 */
	public FaultCount cutBeforeReply() {
		return fault(Action.onReply((exchange, reply, link) -> link.cut()));
	}

	/**
	 * The request is executed, and the connection is reset in the middle of the reply.
	 * @return the fault, whose number of times must still be set
	 */
	public FaultCount cutInReply() {
		return fault(Action.onReply((exchange, reply, link) -> {
			link.answer(Arrays.copyOf(reply.bytes(), reply.bytes().length / 2));
			link.cut();
		}));
	}

	/**
	 * The request is lost, and from then on the connection is open but dead. Nothing is
	 * delivered in either direction, not even once the proxy is healed.
	 * @return the fault, whose number of times must still be set
	 */
	public FaultCount halfOpen() {
		return fault(Action.onRequest((exchange, link) -> link.silence()));
	}

	/**
	 * Hold the next matching request until it is released. It is then delivered even if
	 * the client has given up meanwhile.
	 * @return the hold, already in force; it releases the request
	 */
	public Hold holdRequest() {
		return holdRequests(1);
	}

	/**
	 * Hold all matching requests until they are released, each on its connection.
	 * @return the hold, already in force; it releases the requests
	 */
	public Hold holdAllRequests() {
		return holdRequests(Integer.MAX_VALUE);
	}

	/**
	 * Let the next matching request be executed, and hold its reply until it is released.
	 * @return the hold, already in force; it releases the reply
	 */
	public Hold holdReply() {
		return holdReplies(1);
	}

	/**
	 * Let all matching requests be executed, and hold their replies until they are
	 * released.
	 * @return the hold, already in force; it releases the replies
	 */
	public Hold holdAllReplies() {
		return holdReplies(Integer.MAX_VALUE);
	}

	private Hold holdRequests(int times) {
		Hold hold = new Hold(this.board.gate());
		fault(Action.onRequest((exchange, link) -> {
			hold.arrive();
			hold.gate().await();
			link.deliver(exchange, 1);
		})).times(times);
		return hold;
	}

	private Hold holdReplies(int times) {
		Hold hold = new Hold(this.board.gate());
		fault(Action.onReply((exchange, reply, link) -> {
			hold.arrive();
			hold.gate().await();
			link.answer(reply.bytes());
		})).times(times);
		return hold;
	}

	private FaultCount fault(Action action) {
		return new FaultCount((times) -> {
			Fault fault = new Fault(this.condition, action, times);
			this.board.arm(fault);
			return fault;
		});
	}

	private CommandSelection and(Predicate<Command> more) {
		return new CommandSelection(this.board, this.condition.and(more));
	}

}
