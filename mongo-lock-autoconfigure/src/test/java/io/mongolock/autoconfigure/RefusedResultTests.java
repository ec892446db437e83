package io.mongolock.autoconfigure;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.reactivex.rxjava3.core.Single;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.params.provider.Arguments;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Mono;

import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;

/**
 * Tests for types of results that a lock cannot be held for.
 */
class RefusedResultTests extends AbstractRefusedMethodTests {

	static final List<Arguments> refused = List.of(Arguments.of(PrimitiveSkip.class, "returns int"),
			Arguments.of(SingleSkip.class, "returns io.reactivex.rxjava3.core.Single, so onUnavailable = SKIP"),
			Arguments.of(FutureResult.class, "returns a Future"),
			Arguments.of(SubtypeResult.class, "returns a ConnectableFlux"),
			Arguments.of(NestedResult.class, "returns a Stream"),
			Arguments.of(CallableResult.class, "returns a Callable"),
			Arguments.of(StreamingResult.class, "returns a StreamingResponseBody"),
			Arguments.of(EntityResult.class, "returns a Mono"), Arguments.of(ListResult.class, "returns a Future"),
			Arguments.of(ArrayResult.class, "returns a Supplier"), Arguments.of(StreamResult.class, "returns a Stream"),
			Arguments.of(IteratorResult.class, "returns a Iterator"),
			Arguments.of(EmitterResult.class, "returns a SseEmitter"), Arguments.of(Suspend.class, "suspend"));

	static class PrimitiveSkip {

		@DistributedLock(name = "a", onUnavailable = OnUnavailable.SKIP)
		int run() {
			return 1;
		}

	}

	static class SingleSkip {

		@DistributedLock(name = "a", onUnavailable = OnUnavailable.SKIP)
		Single<String> run() {
			return null;
		}

	}

	static class FutureResult {

		@DistributedLock("a")
		Future<String> run() {
			return null;
		}

	}

	static class SubtypeResult {

		@DistributedLock("a")
		ConnectableFlux<String> run() {
			return null;
		}

	}

	static class NestedResult {

		@DistributedLock("a")
		Mono<List<Stream<String>>> run() {
			return null;
		}

	}

	static class CallableResult {

		@DistributedLock("a")
		Callable<String> run() {
			return null;
		}

	}

	static class StreamingResult {

		@DistributedLock("a")
		StreamingResponseBody run() {
			return null;
		}

	}

	static class EntityResult {

		@DistributedLock("a")
		ResponseEntity<Mono<String>> run() {
			return null;
		}

	}

	static class ListResult {

		@DistributedLock("a")
		Optional<List<? extends Future<String>>> run() {
			return null;
		}

	}

	static class ArrayResult {

		@DistributedLock("a")
		Supplier<?>[] run() {
			return null;
		}

	}

	static class StreamResult {

		@DistributedLock("a")
		Stream<String> run() {
			return null;
		}

	}

	static class IteratorResult {

		@DistributedLock("a")
		Iterator<String> run() {
			return null;
		}

	}

	static class EmitterResult {

		@DistributedLock("a")
		SseEmitter run() {
			return null;
		}

	}

	static class Suspend {

		@DistributedLock("a")
		Object run(int id, Continuation<String> continuation) {
			return null;
		}

	}

}
