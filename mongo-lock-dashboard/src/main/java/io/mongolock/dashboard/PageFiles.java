package io.mongolock.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.MimeType;

/**
 * The files that the page consists of, and no others. They lie beside this class, so no
 * application serves them as static files. Immutable.
 */
final class PageFiles {

	static final String PAGE = "page.html";

	private static final List<String> FILES = List.of(PAGE, "style.css", "dom.js", "ask.js", "locks.js", "lanes.js",
			"live.js", "jobs.js", "page.js");

	private static final Map<String, String> TYPES = Map.of("html", "text/html", "css", "text/css", "js",
			"text/javascript");

	private final Map<String, String> texts = FILES.stream().collect(Collectors.toMap((file) -> file, PageFiles::read));

	boolean has(String file) {
		return !file.equals(PAGE) && this.texts.containsKey(file);
	}

	String text(String file) {
		return Objects.requireNonNull(this.texts.get(file));
	}

	static MimeType typeOf(String file) {
		String type = TYPES.getOrDefault(file.substring(file.lastIndexOf('.') + 1), "text/plain");
		return new MimeType(MimeType.valueOf(type), StandardCharsets.UTF_8);
	}

	private static String read(String file) {
		try (InputStream in = Objects.requireNonNull(PageFiles.class.getResourceAsStream(file))) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Registers the files, and the types to write as JSON, which a native image would
	 * otherwise leave out.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			FILES.forEach((file) -> hints.resources().registerPattern("io/mongolock/dashboard/" + file));
			new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), Activity.class);
		}

	}

}
