package io.mongolock.faults.harness;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.springframework.util.Assert;

import io.mongolock.faults.harness.SetMember.View;
import io.mongolock.faults.harness.matrix.RowFigures;

/**
 * Stands in for a replica set of three members, whose elections, failures and partitions
 * happen when the test says so and at no other time. It owns who reaches whom and who was
 * elected last, and with that when a write is confirmed. Thread-safe.
 * <p>
 * Real are the driver, and the statements as far as the embedded server knows them. Not
 * real: there is no log, so a write goes to the other members as the whole collection and
 * a rollback is the same the other way round; a retried write is executed anew; clients
 * reach every member that lives, also across a partition of the set.
 */
public final class ScriptedSet implements AutoCloseable {

	/** What figures are measured on. */
	public static final String SERVER = "scripted replica set of " + RowFigures.EMBEDDED;

	/** Nothing is pushed to clients, so they have to look: as often as they can. */
	public static final String POLL = "heartbeatFrequencyMS=500";

	private final List<SetMember> members = Stream.generate(() -> new SetMember(this)).limit(3).toList();

	private final Set<SetMember> cutOff = new HashSet<>();

	private SetMember primary = this.members.get(0);

	private long term;

	private int unconfirmed;

	private boolean confirmsAlone;

	public ScriptedSet() {
		elect(this.primary);
	}

	// For clients that know all members
	public String connectionString() {
		return "mongodb://" + String.join(",", addresses()) + "/?replicaSet=rows&" + POLL;
	}

	public List<String> addresses() {
		return this.members.stream().map(SetMember::address).toList();
	}

	public List<SetMember> members() {
		return this.members;
	}

	// The one that was elected last, even if that one died or stepped down since
	public synchronized SetMember primary() {
		return this.primary;
	}

	// The others have no primary before the next election
	public synchronized SetMember killPrimary() {
		this.primary.kill();
		this.primary.believe(new View(this.term, null));
		return isolatePrimary();
	}

	// The one that is cut off does not notice
	public synchronized SetMember isolatePrimary() {
		others(this.primary).forEach((member) -> member.believe(new View(this.term, null)));
		this.cutOff.add(this.primary);
		notifyAll();
		return this.primary;
	}

	// The primary does not notice
	public synchronized void loseMajority() {
		this.cutOff.addAll(others(this.primary));
	}

	// By force, without waiting for the others; there is no primary before the next
	// election
	public synchronized void stepDown() {
		View nobody = new View(this.term, null);
		this.members.stream()
			.filter((member) -> member.view().leader() == this.primary)
			.forEach((member) -> member.believe(nobody));
		notifyAll();
	}

	public synchronized SetMember elect() {
		return elect(others(this.primary).stream().filter(this::reachesMajority).findFirst().orElseThrow());
	}

	// Those that the next primary reaches follow it, and lose what they alone have
	public synchronized SetMember elect(SetMember next) {
		Assert.state(reachesMajority(next), "Nobody is elected without a majority");
		this.term++;
		this.primary = next;
		lead(next);
		return next;
	}

	// Connects all members, and restarts those that died; they follow the primary, if
	// there is one
	public synchronized void heal() {
		this.cutOff.clear();
		this.members.forEach(SetMember::restart);
		if (this.primary.isPrimary()) {
			lead(this.primary);
		}
	}

	// Every write is confirmed when its member alone has it, as if it asked for that (w:
	// 1)
	public synchronized void confirmAlone() {
		this.confirmsAlone = true;
	}

	// Has a write executed by the primary, which then reaches nobody to confirm it
	public <T> CompletableFuture<T> executeUnconfirmed(Supplier<T> write) {
		loseMajority();
		CompletableFuture<T> answer = Daemon.supply(write);
		Awaitility.await().atMost(Harness.LONG).until(() -> answer.isDone() || hasUnconfirmed());
		Assert.state(!answer.isDone(), "Accepted while one member alone has it");
		return answer;
	}

	private synchronized boolean hasUnconfirmed() {
		return this.unconfirmed > 0;
	}

	// Executed if the member is the primary as far as it knows, and confirmed when as
	// many members have it as it asks for
	public synchronized BsonDocument write(SetMember member, BsonDocument command, Supplier<BsonDocument> execution) {
		if (!member.isPrimary()) {
			return SetMember.notPrimary(command);
		}
		BsonDocument answer = execution.get();
		if (reachesMajority(member)) {
			reachedBy(member).forEach((other) -> other.takeOver(member));
			return answer;
		}
		return (asksForMajority(command)) ? awaitMajority(member, command, answer) : answer;
	}

	@Override
	public void close() {
		this.members.forEach(SetMember::close);
	}

	private void lead(SetMember leader) {
		View view = new View(this.term, leader);
		leader.believe(view);
		reachedBy(leader).forEach((member) -> {
			member.believe(view);
			member.takeOver(leader);
		});
		notifyAll();
	}

	private BsonDocument awaitMajority(SetMember member, BsonDocument command, BsonDocument answer) {
		View view = member.view();
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(maxTimeMillis(command));
		this.unconfirmed++;
		try {
			while (member.view().equals(view) && !reachesMajority(member)) {
				long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
				if (left < 1) {
					return SetMember.timedOut(answer);
				}
				wait(left);
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Nobody interrupts a server", ex);
		}
		finally {
			this.unconfirmed--;
		}
		return (member.view().equals(view)) ? answer : SetMember.steppedDown(command, answer);
	}

	private boolean asksForMajority(BsonDocument command) {
		BsonDocument concern = command.getDocument("writeConcern", new BsonDocument());
		return !this.confirmsAlone && !concern.get("w", new BsonString("majority")).equals(new BsonInt32(1));
	}

	private boolean reachesMajority(SetMember member) {
		return !this.cutOff.contains(member) && this.cutOff.size() < 2;
	}

	private List<SetMember> reachedBy(SetMember member) {
		return others(member).stream().filter(Predicate.not(this.cutOff::contains)).toList();
	}

	private List<SetMember> others(SetMember member) {
		return this.members.stream().filter((other) -> other != member).toList();
	}

	private static long maxTimeMillis(BsonDocument command) {
		return command.getNumber("maxTimeMS", new BsonInt64(Harness.LONG.toMillis())).longValue();
	}

}
