package io.mongolock.test.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.mongolock.test.proxy.FaultProxy;

/**
 * A {@link MemberDoor} before each member. Thread-safe.
 */
final class ProxyNetwork implements SetNetwork {

	private final List<MemberDoor> doors;

	ProxyNetwork(int count, Supplier<List<RealMember>> members) {
		Supplier<List<Long>> processes = () -> members.get().stream().map(RealMember::pidOrNone).toList();
		this.doors = IntStream.range(0, count)
			.mapToObj((member) -> new MemberDoor(() -> members.get().get(member).port(), processes,
					() -> members.get().get(member).isFrozen()))
			.toList();
	}

	static boolean isPossible() {
		return Files.isReadable(Path.of("/proc/net/tcp"));
	}

	@Override
	public String address(int member, int port) {
		return host(member) + ":" + this.doors.get(member).port();
	}

	@Override
	public void isolate(int member) {
		forOthers(member, (other) -> {
			separate(this.doors.get(member).from(other));
			separate(this.doors.get(other).from(member));
		});
	}

	// New connections are refused, because one without an answer would stop a secondary
	// older than 4.4.19 or 5.0.7 for 30 s (SERVER-63512)
	private static void separate(FaultProxy proxy) {
		proxy.refuseNewConnections();
		proxy.blackhole();
	}

	@Override
	public void vanish(int member) {
		fromClients(member).blackhole();
		isolate(member);
	}

	@Override
	public FaultProxy fromClients(int member) {
		return this.doors.get(member).fromClients();
	}

	@Override
	public void heal() {
		for (int member = 0; member < this.doors.size(); member++) {
			MemberDoor door = this.doors.get(member);
			door.fromClients().heal();
			forOthers(member, (other) -> door.from(other).heal());
		}
	}

	private void forOthers(int member, IntConsumer action) {
		IntStream.range(0, this.doors.size()).filter((other) -> other != member).forEach(action);
	}

	@Override
	public void close() {
		this.doors.forEach(MemberDoor::close);
	}

	@Override
	public String toString() {
		return ", behind proxies";
	}

}
