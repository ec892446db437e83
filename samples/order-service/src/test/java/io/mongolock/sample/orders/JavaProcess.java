package io.mongolock.sample.orders;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A JVM of its own, with the class path of the tests.
 */
final class JavaProcess implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private final Path output;

	private final Process process;

	private JavaProcess(Path output, Process process) {
		this.output = output;
		this.process = process;
	}

	/**
	 * Start one.
	 * @param directory where its output goes
	 * @param main its main class
	 * @param args for the main class; those that begin with {@code -D} for the JVM
	 * @return the process
	 */
	static JavaProcess start(Path directory, Class<?> main, String... args) {
		try {
			Map<Boolean, List<String>> properties = Stream.of(args)
				.collect(Collectors.partitioningBy((arg) -> arg.startsWith("-D")));
			List<String> command = new ArrayList<>(
					List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
							"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
			command.addAll(properties.getOrDefault(true, List.of()));
			command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
			command.addAll(properties.getOrDefault(false, List.of()));
			Path output = Files.createTempFile(directory, main.getSimpleName(), ".log");
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(output.toFile())
				.start();
			Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
			return new JavaProcess(output, process);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait until a line of the output matches.
	 * @param pattern has one group
	 * @return what the group matched
	 */
	String awaitOutput(String pattern) {
		Pattern compiled = Pattern.compile(pattern);
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(output()).as(this.process.toString()).containsPattern(compiled));
		Matcher found = compiled.matcher(output());
		assertThat(found.find()).isTrue();
		return found.group(1);
	}

	String output() {
		try {
			return Files.readString(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ask it to end, as {@code SIGTERM} does, and wait for that.
	 * @return the exit status
	 */
	int terminate() {
		this.process.destroy();
		await().atMost(PATIENCE).until(() -> !this.process.isAlive());
		return this.process.exitValue();
	}

	/**
	 * Kill it so that it can do nothing more, as {@code SIGKILL}.
	 */
	@Override
	public void close() {
		this.process.destroyForcibly();
		await().atMost(PATIENCE).until(() -> !this.process.isAlive());
	}

}
