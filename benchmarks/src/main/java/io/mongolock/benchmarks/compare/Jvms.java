package io.mongolock.benchmarks.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The same load in several JVMs at once.
 */
final class Jvms {

	private Jvms() {
	}

	static Outcome run(Kind kind, String uri, int jvms, Load load) {
		return run(kind, uri, jvms, load, () -> {
		});
	}

	/**
	 * Run a load.
	 * @param ready called when all have warmed up, before they begin
	 */
	static Outcome run(Kind kind, String uri, int jvms, Load load, Runnable ready) {
		List<Process> processes = new ArrayList<>();
		try {
			List<BufferedReader> outputs = new ArrayList<>();
			for (int i = 0; i < jvms; i++) {
				Process process = start(kind, uri, load);
				processes.add(process);
				outputs.add(process.inputReader());
			}
			for (BufferedReader output : outputs) {
				read(output, LoadMain.READY);
			}
			ready.run();
			for (Process process : processes) {
				process.getOutputStream().write('\n');
				process.getOutputStream().flush();
			}
			List<Outcome> outcomes = new ArrayList<>();
			for (BufferedReader output : outputs) {
				outcomes.add(Outcome.parse(read(output, LoadMain.RESULT)));
			}
			return Outcome.ofAll(outcomes);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			processes.forEach(Process::destroy);
		}
	}

	/**
	 * Run another benchmark, so that nothing that ran before in this JVM counts.
	 */
	static String tables(Class<?> program, List<String> arguments) {
		try {
			List<String> lines = start(program, arguments).inputReader()
				.lines()
				.filter((line) -> line.isEmpty() || line.startsWith("#") || line.startsWith("|"))
				.toList();
			if (lines.isEmpty()) {
				throw new IllegalStateException(program.getSimpleName() + " failed");
			}
			return String.join("\n", lines) + "\n";
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Process start(Kind kind, String uri, Load load) throws IOException {
		return start(LoadMain.class, List.of(kind.name(), uri, String.valueOf(load.threads()),
				String.valueOf(load.keys()), String.valueOf(load.workMicros()), String.valueOf(load.millis())));
	}

	private static Process start(Class<?> program, List<String> arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
						System.getProperty("java.class.path"), program.getName()));
		command.addAll(arguments);
		return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

	private static String read(BufferedReader output, String prefix) throws IOException {
		for (String line = output.readLine(); line != null; line = output.readLine()) {
			if (line.startsWith(prefix)) {
				return line.substring(prefix.length());
			}
		}
		throw new IOException("A JVM of the benchmark ended before it said " + prefix.trim());
	}

}
