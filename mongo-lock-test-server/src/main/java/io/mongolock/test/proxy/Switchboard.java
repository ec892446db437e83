package io.mongolock.test.proxy;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The faults in force on all connections of a proxy. Thread-safe.
 */
final class Switchboard {

	private final List<Fault> faults = new CopyOnWriteArrayList<>();

	private final Set<Gate> gates = ConcurrentHashMap.newKeySet();

	private final Valve valve = new Valve();

	private final Traffic requests = new Traffic();

	private final Traffic replies = new Traffic();

	Traffic requests() {
		return this.requests;
	}

	Traffic replies() {
		return this.replies;
	}

	Valve valve() {
		return this.valve;
	}

	void arm(Fault fault) {
		this.faults.add(fault);
	}

	void clear() {
		this.faults.clear();
	}

	/**
	 * Decide on a request. It counts as seen only afterwards, so a test that waits for
	 * the request knows that its handling is decided.
	 * @param request the request
	 * @return the request with its handling
	 */
	Exchange decide(Message request) {
		Command command = Command.of(request);
		Action action = this.faults.stream()
			.filter((fault) -> fault.takes(command))
			.findFirst()
			.map(Fault::action)
			.orElse(Action.PASS);
		this.requests.count(command.name());
		return new Exchange(command.name(), request, action);
	}

	/**
	 * Create a gate that opens with {@link #release()} at the latest.
	 * @return a new gate
	 */
	Gate gate() {
		Gate gate = new Gate();
		this.gates.add(gate);
		return gate;
	}

	void pause(Duration duration) throws InterruptedIOException {
		Gate gate = gate();
		try {
			gate.await(duration);
		}
		finally {
			this.gates.remove(gate);
		}
	}

	void release() {
		this.valve.open();
		this.gates.forEach(Gate::open);
		this.gates.clear();
	}

}
