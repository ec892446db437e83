package io.mongolock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

import io.mongolock.test.proxy.FaultProxy;

/**
 * The door of one member. All other members and all clients get its address, and each has
 * its own {@link FaultProxy}. So a member can be cut off from the others but not from its
 * clients, although all use the same address. A peer is identified by the process of its
 * socket, which only Linux tells. Thread-safe.
 */
final class MemberDoor implements AutoCloseable {

	/** A peer that is no member. */
	private static final int CLIENT = -1;

	private final ServerSocket door;

	private final IntSupplier target;

	private final Supplier<List<Long>> processes;

	private final BooleanSupplier frozen;

	private final Map<Integer, FaultProxy> proxies = new ConcurrentHashMap<>();

	/**
	 * Open a door.
	 * @param target the port on which the member itself listens, once it does
	 * @param processes the processes of all members, in order; 0 for a process that does
	 * not run
	 * @param frozen whether the member stands still
	 */
	MemberDoor(IntSupplier target, Supplier<List<Long>> processes, BooleanSupplier frozen) {
		this.target = target;
		this.processes = processes;
		this.frozen = frozen;
		try {
			this.door = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No free port for a member", ex);
		}
		Thread porter = new Thread(this::admit, "member-door-" + port());
		porter.setDaemon(true);
		porter.start();
	}

	int port() {
		return this.door.getLocalPort();
	}

	FaultProxy fromClients() {
		return from(CLIENT);
	}

	FaultProxy from(int member) {
		return this.proxies.computeIfAbsent(member, (any) -> FaultProxy.to("127.0.0.1", this.target.getAsInt()));
	}

	@Override
	public void close() {
		try {
			this.door.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Port " + port() + " of a member's network does not close", ex);
		}
		finally {
			this.proxies.values().forEach(FaultProxy::close);
		}
	}

	private void admit() {
		while (!this.door.isClosed()) {
			try {
				welcome(this.door.accept());
			}
			catch (IOException ex) {
				// The door was closed, or the peer is gone again
			}
		}
	}

	private void welcome(Socket guest) throws IOException {
		int member = memberOf(guest);
		// Another member would wait for an answer of a frozen member (SERVER-63512)
		if (member != CLIENT && this.frozen.getAsBoolean()) {
			guest.setSoLinger(true, 0);
			guest.close();
			return;
		}
		from(member).accept(guest);
	}

	private int memberOf(Socket guest) throws IOException {
		Optional<String> socket = socket(address(guest.getPort()), address(guest.getLocalPort()));
		List<Long> pids = this.processes.get();
		for (int i = 0; i < pids.size() && socket.isPresent(); i++) {
			if (pids.get(i) != 0 && has(pids.get(i), socket.get())) {
				return i;
			}
		}
		return CLIENT;
	}

	// The other end as the kernel names it; members connect by IPv4
	private static Optional<String> socket(String local, String remote) throws IOException {
		return Files.readAllLines(Path.of("/proc/net/tcp"))
			.stream()
			.map((line) -> line.strip().split("\\s+"))
			.filter((fields) -> fields.length > 9 && fields[1].equals(local) && fields[2].equals(remote))
			.map((fields) -> "socket:[" + fields[9] + "]")
			.findFirst();
	}

	private static String address(int port) {
		return String.format(Locale.ROOT, "0100007F:%04X", port);
	}

	private static boolean has(long pid, String socket) {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc", String.valueOf(pid), "fd"))) {
			for (Path file : files) {
				if (socket.equals(target(file))) {
					return true;
				}
			}
		}
		catch (IOException | DirectoryIteratorException ex) {
			// The process has ended
		}
		return false;
	}

	private static String target(Path file) {
		try {
			return Files.readSymbolicLink(file).toString();
		}
		catch (IOException ex) {
			return "closed meanwhile";
		}
	}

}
