package io.mongolock.faults.harness.matrix;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestWatcher;

import io.mongolock.test.server.TestOutput;

/**
 * Collects the results of all tests that are marked with {@link ShowsRow}. The report is
 * written when the store of the whole run is closed.
 */
final class FaultMatrixExtension implements BeforeEachCallback, ParameterResolver, TestWatcher {

	@Override
	public void beforeEach(ExtensionContext context) {
		FaultRow.of(row(context).value());
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == RowFigures.class;
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return matrix(context).figures(context);
	}

	@Override
	public void testSuccessful(ExtensionContext context) {
		add(context, RowResult.PASSED);
	}

	@Override
	public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
		add(context, RowResult.FAILED);
	}

	@Override
	public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
		add(context, RowResult.NOT_RUN + ((cause != null) ? cause.getMessage() : "aborted"));
	}

	@Override
	public void testDisabled(ExtensionContext context, Optional<String> reason) {
		add(context, RowResult.NOT_RUN + reason.orElse("disabled"));
	}

	private static void add(ExtensionContext context, String outcome) {
		ShowsRow row = row(context);
		RowFigures figures = matrix(context).figures(context);
		matrix(context).results.add(new RowResult(row.value(), row.level(), shows(context), figures.text(),
				figures.server(), outcome, row.lacks()));
	}

	private static FaultMatrix matrix(ExtensionContext context) {
		Optional<Path> file = context.getConfigurationParameter("fault-matrix.file").map(Path::of);
		Optional<Path> all = context.getConfigurationParameter("fault-matrix.results").map(Path::of);
		return context.getRoot()
			.getStore(Namespace.create(FaultMatrix.class))
			.computeIfAbsent(FaultMatrix.class, (type) -> new FaultMatrix(file, all), FaultMatrix.class);
	}

	private static ShowsRow row(ExtensionContext context) {
		return context.getRequiredTestMethod().getAnnotation(ShowsRow.class);
	}

	private static String shows(ExtensionContext context) {
		// The name of the test as a sentence, with that of the invocation if it has many
		DisplayName given = context.getRequiredTestMethod().getAnnotation(DisplayName.class);
		String name = context.getRequiredTestMethod().getName();
		String sentence = (given != null) ? given.value()
				: name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ").toLowerCase(Locale.ROOT);
		String display = context.getDisplayName();
		return (display.startsWith(name) || display.equals(sentence)) ? sentence : sentence + " " + display;
	}

	/**
	 * The report, written when the run ends if it names a file: the JVM of a mutant runs
	 * a row or two beside the run whose report counts. A run may be one class of many,
	 * which several JVMs share: they keep their results in one file. Thread-safe.
	 */
	private static final class FaultMatrix implements AutoCloseable {

		private final Optional<Path> file;

		private final Optional<Path> all;

		private final long seed = Long.getLong("fault-matrix.seed", ThreadLocalRandom.current().nextLong());

		private final Queue<RowResult> results = new ConcurrentLinkedQueue<>();

		private final Map<String, RowFigures> figures = new ConcurrentHashMap<>();

		private FaultMatrix(Optional<Path> file, Optional<Path> all) {
			this.file = file;
			this.all = all;
		}

		private RowFigures figures(ExtensionContext test) {
			return this.figures.computeIfAbsent(test.getUniqueId(), (any) -> new RowFigures(this.seed));
		}

		@Override
		public void close() throws IOException {
			if (this.file.isPresent() && this.all.isPresent()) {
				writeWithOthers(this.file.get().toAbsolutePath(), this.all.get());
			}
			else if (this.file.isPresent()) {
				write(this.file.get().toAbsolutePath(), this.results);
			}
		}

		private void writeWithOthers(Path file, Path all) throws IOException {
			// By this channel alone: to close another one would give up the lock
			try (FileChannel channel = FileChannel.open(all, StandardOpenOption.CREATE, StandardOpenOption.READ,
					StandardOpenOption.WRITE)) {
				channel.lock();
				channel.position(channel.size());
				for (RowResult result : this.results) {
					channel.write(StandardCharsets.UTF_8.encode(result.toLine() + "\n"));
				}
				channel.position(0);
				String lines = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
				write(file, lines.lines().map(RowResult::ofLine).toList());
			}
		}

		private void write(Path file, Collection<RowResult> results) throws IOException {
			MatrixTable table = new MatrixTable(FaultRow.all(), results);
			Files.createDirectories(file.getParent());
			Files.writeString(file,
					table.write(System.getProperty("fault-matrix.version", "unknown"), Instant.now(), this.seed));
			TestOutput.say(table.summary() + " More in " + file);
		}

	}

}
