package io.mongolock.interceptor;

import java.io.File;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.regex.Pattern;

import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Single;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.springframework.data.domain.Page;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LaterType}.
 */
class LaterTypeTests {

	@ParameterizedTest
	@ValueSource(strings = { "mono", "flux", "publisher", "flow", "single", "completable" })
	void resultsThatSpringAdaptsEndLater(String method) {
		assertThat(LaterType.of(method(Results.class, method), Results.class)).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "nothing", "text", "list", "optional", "page" })
	void theLibrariesAreNotLoadedForWhatEndsWithTheCall(String method) throws Exception {
		try (OwnLoader loader = new OwnLoader()) {
			assertThat(later(loader, method)).isNull();
			assertThat(loader.hasLoaded("org.springframework.core.ReactiveAdapterRegistry")).isFalse();
		}
	}

	@Test
	void theyAreForAnyOfTheirTypes() throws Exception {
		try (OwnLoader loader = new OwnLoader()) {
			assertThat(later(loader, "mono")).isNotNull();
			assertThat(loader.hasLoaded("org.springframework.core.ReactiveAdapterRegistry")).isTrue();
		}
	}

	private static Object later(OwnLoader loader, String method) throws Exception {
		Class<?> results = loader.loadClass(Results.class.getName());
		Method of = loader.loadClass(LaterType.class.getName()).getDeclaredMethod("of", Method.class, Class.class);
		of.setAccessible(true);
		return of.invoke(null, method(results, method), results);
	}

	private static Method method(Class<?> type, String name) {
		return Optional.ofNullable(ReflectionUtils.findMethod(type, name)).orElseThrow();
	}

	interface Results {

		void nothing();

		String text();

		List<String> list();

		Optional<CompletableFuture<String>> optional();

		Page<String> page();

		Mono<String> mono();

		Flux<String> flux();

		Publisher<String> publisher();

		Flow.Publisher<String> flow();

		Single<String> single();

		Completable completable();

	}

	/** Has loaded nothing that another test has. */
	private static final class OwnLoader extends URLClassLoader {

		private OwnLoader() {
			super(Pattern.compile(File.pathSeparator)
				.splitAsStream(System.getProperty("java.class.path"))
				.map(OwnLoader::url)
				.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
		}

		private static URL url(String entry) {
			try {
				return Path.of(entry).toUri().toURL();
			}
			catch (MalformedURLException ex) {
				throw new IllegalArgumentException(ex);
			}
		}

		private boolean hasLoaded(String type) {
			return findLoadedClass(type) != null;
		}

	}

}
