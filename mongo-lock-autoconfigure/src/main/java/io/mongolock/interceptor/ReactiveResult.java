package io.mongolock.interceptor;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;

import io.mongolock.LockUnavailableException;

/**
 * A publisher: each subscription claims the lock, calls the method, and holds the lock
 * until what that returned has ended or the subscription is cancelled.
 *
 * @param answer what the subscriber gets if others hold the lock; {@code null} if the
 * failure
 */
record ReactiveResult(ReactiveAdapter adapter, @Nullable UnavailableAnswer answer) implements LaterResult {

	@Override
	public Object run(LaterLocking locking, LockedCall call) {
		return declared(Flux.defer(() -> subscribed(locking, call.again())));
	}

	@Override
	public Object runUnlocked(LockedCall call) {
		return declared(Flux.defer(() -> {
			try {
				return begun(call.again());
			}
			catch (Throwable ex) {
				// Whatever the method throws is the result
				return Flux.error(ex);
			}
		}));
	}

	private Object declared(Flux<Object> locked) {
		// A single element is given out with the end, when the lock is known to have been
		// held throughout
		Publisher<Object> result = (this.adapter.isMultiValue()) ? locked : locked.singleOrEmpty();
		return this.adapter.fromPublisher(result);
	}

	private Flux<Object> subscribed(LaterLocking locking, LockedCall call) {
		Flux<Object> locked = new LockedFlux(locking, () -> begun(call));
		UnavailableAnswer answer = this.answer;
		return (answer != null)
				? locked.onErrorResume(LockUnavailableException.class,
						(ex) -> (UnavailableAnswer.isTo(ex, call)) ? answered(answer, call, ex) : Flux.error(ex))
				: locked;
	}

	private Publisher<Object> begun(LockedCall call) throws Throwable {
		Object result = call.proceed();
		if (result == null) {
			throw new IllegalStateException(
					call + " has returned null instead of a " + this.adapter.getReactiveType().getSimpleName());
		}
		return this.adapter.toPublisher(result);
	}

	private Publisher<Object> answered(UnavailableAnswer answer, LockedCall call, LockUnavailableException ex) {
		try {
			Object answered = answer.answer(call, ex);
			if (answered == null) {
				return Flux.empty();
			}
			// For a suspending function a handler knows of its value alone
			return (this.adapter.getReactiveType().isInstance(answered)) ? this.adapter.toPublisher(answered)
					: Flux.just(answered);
		}
		catch (Throwable failure) {
			// Whatever an answer throws is the result
			return Flux.error(failure);
		}
	}

}
