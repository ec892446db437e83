package io.mongolock.dashboard;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.springframework.context.SmartLifecycle;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Like {@link ServletStreams}, in a reactive application. A stream occupies nothing but
 * its connection there. Thread-safe.
 */
final class ReactiveStreams implements SmartLifecycle {

	private static final Duration EVERY = Duration.ofSeconds(1);

	private static final int MAX_SENT = 300;

	private final ActivitySource source;

	private volatile Sinks.Empty<Void> stop = Sinks.empty();

	private volatile boolean running;

	/** Whether the streams were ended. */
	private volatile boolean stopped;

	ReactiveStreams(ActivitySource source) {
		this.source = source;
	}

	Mono<ServerResponse> open(ServerRequest request) {
		AtomicLong seen = new AtomicLong();
		Flux<ServerSentEvent<String>> events = Flux.interval(Duration.ZERO, EVERY)
			.onBackpressureDrop()
			.take(MAX_SENT)
			.map((tick) -> {
				Activity activity = this.source.since(seen.get());
				seen.set(activity.turn());
				return ServerSentEvent.builder(activity.toJson()).event("activity").build();
			})
			.takeUntilOther(this.stop.asMono());
		return ServerResponse.ok().body(BodyInserters.fromServerSentEvents(events));
	}

	@Override
	public void start() {
		if (this.stopped) {
			this.stop = Sinks.empty();
			this.stopped = false;
		}
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.stopped = true;
		this.stop.tryEmitEmpty();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
