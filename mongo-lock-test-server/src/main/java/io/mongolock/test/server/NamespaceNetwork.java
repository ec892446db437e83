package io.mongolock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A network namespace for each member, as if each member were a separate machine. One
 * more namespace has the switch between them and this machine, so this machine's firewall
 * is not involved. Each namespace lasts as long as an idle process in it. This process
 * ends with this JVM, even if the JVM is killed. A message that is cut off is lost on its
 * way, and neither side is told. Thread-safe.
 */
final class NamespaceNetwork implements SetNetwork {

	private final List<Process> processes = new ArrayList<>();

	private final long hub;

	private final List<Long> members;

	private final String subnet;

	NamespaceNetwork(int count) {
		try {
			this.hub = open();
			this.members = IntStream.range(0, count).mapToObj((member) -> open()).toList();
			// No two sets that run at the same time have the same subnet
			this.subnet = "10.%d.%d.".formatted(this.hub >> 8 & 255, this.hub & 255);
			ip(this.hub, "link add hub type bridge", "link set hub up");
			for (int member = 0; member < count; member++) {
				plug(port(member), this.members.get(member), "eth0", host(member));
			}
			plug("here", ProcessHandle.current().pid(), "mongo-" + this.hub, this.subnet + 254);
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	static boolean isPossible() {
		try {
			return new ProcessBuilder("unshare", "--net", "ip", "link", "add", "type", "bridge")
				.redirectErrorStream(true)
				.redirectOutput(Redirect.DISCARD)
				.start()
				.onExit()
				.join()
				.exitValue() == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private long open() {
		try {
			Process process = new ProcessBuilder("unshare", "--net", "sh", "-c", "echo; read -r nothing").start();
			this.processes.add(process);
			// Wait until the process is inside
			process.inputReader().readLine();
			return process.pid();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No network namespace", ex);
		}
	}

	private void plug(String port, long namespace, String device, String host) {
		ip(this.hub, "link add %s type veth peer name %s netns %d".formatted(port, device, namespace),
				"link set %s master hub up".formatted(port));
		ip(namespace, "address add %s/24 dev %s".formatted(host, device), "link set %s up".formatted(device),
				"link set lo up");
	}

	private static String port(int member) {
		return "member-" + member;
	}

	@Override
	public List<String> command(int member) {
		return command(this.members.get(member));
	}

	private static List<String> command(long namespace) {
		return List.of("nsenter", "--net", "--target", String.valueOf(namespace));
	}

	@Override
	public String host(int member) {
		return this.subnet + (member + 1);
	}

	// Sends frames to a machine that does not exist
	@Override
	public void isolate(int member) {
		IntStream.range(0, this.members.size()).filter((other) -> other != member).forEach((other) -> {
			mislead(member, other);
			mislead(other, member);
		});
	}

	private void mislead(int from, int to) {
		ip(this.members.get(from),
				"neighbor replace %s lladdr 02:00:00:00:00:00 dev eth0 nud permanent".formatted(host(to)));
	}

	@Override
	public void vanish(int member) {
		ip(this.hub, "link set %s down".formatted(port(member)));
	}

	@Override
	public void heal() {
		for (int member = 0; member < this.members.size(); member++) {
			ip(this.hub, "link set %s up".formatted(port(member)));
			ip(this.members.get(member), "neighbor flush dev eth0 nud permanent");
		}
	}

	private static void ip(long namespace, String... lines) {
		List<String> command = new ArrayList<>(command(namespace));
		command.addAll(List.of("ip", "-batch", "-"));
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			try (Writer input = process.outputWriter()) {
				input.write(String.join("\n", lines) + "\n");
			}
			String output = new String(process.getInputStream().readAllBytes());
			if (process.onExit().join().exitValue() != 0) {
				throw new IllegalStateException(List.of(lines) + " failed: " + output);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No command 'ip' in a network namespace", ex);
		}
	}

	@Override
	public void close() {
		this.processes.forEach(Process::destroy);
	}

	@Override
	public String toString() {
		return ", in network namespaces";
	}

}
