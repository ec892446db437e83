package io.mongolock.faults.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * A product that is broken on purpose: one piece of one method, which says it once only,
 * says something else. Each of its judges must notice.
 *
 * @param name what is broken
 * @param where the class and the method, as {@code ClientLoop.run}; the class alone for
 * what stands outside of its methods
 * @param from the piece; white space does not count
 * @param to what it says instead
 * @param judges who must notice
 */
record Mutant(String name, String where, String from, String to, List<Judge> judges) {

	Mutant(String name, String where, String from, String to, Judge... judges) {
		this(name, where, from, to, List.of(judges));
	}

	// The simple name of the class that is broken
	String type() {
		return this.where.split("\\.")[0];
	}

	// The broken class alone
	void compile(Path target) throws IOException {
		Path broken = Files.createDirectories(target.resolve("source")).resolve(source().getFileName());
		Files.writeString(broken, patched());
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		int status = compiler.run(null, null, null, "-proc:none", "-nowarn", "-parameters", "-d", target.toString(),
				"-classpath", System.getProperty("java.class.path"), broken.toString());
		if (status != 0) {
			throw new IllegalStateException("The mutant '" + this.name + "' does not compile");
		}
	}

	private Path source() throws IOException {
		String file = type() + ".java";
		List<Path> found = Product.SOURCES.stream().filter((path) -> path.endsWith(file)).toList();
		if (found.size() != 1) {
			throw new IllegalStateException("The mutant '" + this.name + "' needs one " + file + ", not " + found);
		}
		return found.get(0);
	}

	/**
	 * The sources of all modules.
	 * @param folder where they are in each
	 */
	static List<Path> sources(String folder) throws IOException {
		List<Path> sources = new ArrayList<>();
		try (Stream<Path> modules = Files.list(Path.of(".."))) {
			for (Path root : modules.map((module) -> module.resolve(folder)).filter(Files::isDirectory).toList()) {
				try (Stream<Path> files = Files.walk(root)) {
					files.filter((path) -> path.toString().endsWith(".java")).forEach(sources::add);
				}
			}
		}
		return sources;
	}

	String patched() throws IOException {
		String source = Files.readString(source());
		int dot = this.where.indexOf('.');
		List<int[]> pieces = ((dot < 0) ? Stream.of(new int[] { 0, source.length() })
				: MethodsOf.source(source).named(this.where.substring(dot + 1)).stream())
			.flatMap((range) -> find(source, range[0], range[1]))
			.toList();
		if (pieces.size() != 1) {
			throw new IllegalStateException("The mutant '" + this.name + "' does not fit any more: " + this.where
					+ " says " + pieces.size() + " times '" + this.from + "'");
		}
		int[] piece = pieces.get(0);
		return source.substring(0, piece[0]) + this.to + source.substring(piece[1]);
	}

	// Where the piece begins and ends, compared without white space
	private Stream<int[]> find(String source, int from, int to) {
		int[] solid = IntStream.range(from, to).filter((i) -> !Character.isWhitespace(source.charAt(i))).toArray();
		StringBuilder text = new StringBuilder();
		IntStream.of(solid).forEach((i) -> text.append(source.charAt(i)));
		String piece = this.from.replaceAll("\\s+", "");
		List<int[]> found = new ArrayList<>();
		for (int at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1)) {
			found.add(new int[] { solid[at], solid[at + piece.length() - 1] + 1 });
		}
		return found.stream();
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * Listed once, as that takes longer than all else that is done with one mutant.
	 */
	private static final class Product {

		private static final List<Path> SOURCES = list();

		private static List<Path> list() {
			try {
				return sources("src/main/java");
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
