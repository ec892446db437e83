package io.mongolock.faults.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * A product that is broken on purpose: one piece of one source file, which says it once
 * only, says something else. Each of its judges must notice.
 */
record Mutant(String name, String file, String from, String to, List<Judge> judges) {

	private static final Path SOURCES = Path.of("..", "mongo-lock-autoconfigure", "src", "main", "java", "io",
			"mongolock");

	Mutant(String name, String file, String from, String to, Judge... judges) {
		this(name, file, from, to, List.of(judges));
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

	private Path source() {
		return SOURCES.resolve(this.file + ".java");
	}

	String patched() throws IOException {
		String source = Files.readString(source());
		int at = source.indexOf(this.from);
		if (at < 0 || source.indexOf(this.from, at + 1) >= 0) {
			throw new IllegalStateException("The mutant '" + this.name + "' does not fit " + this.file
					+ " any more: it does not say once '" + this.from + "'");
		}
		return source.replace(this.from, this.to);
	}

	@Override
	public String toString() {
		return this.name;
	}

}
