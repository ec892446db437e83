package io.mongolock.interceptor;

import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;

import io.mongolock.LockUnavailableException;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.concurrent.CallerContext.Carried;
import io.mongolock.concurrent.CallerContext.Task;
import io.mongolock.event.LockInstrumentation.Scope;

/**
 * A publisher. Each subscription claims the lock, calls the method, and holds the lock
 * until the returned publisher has ended or the subscription is cancelled. The method
 * runs with the values that the subscriber's thread carries. Values that are missing
 * there come from the caller's thread. The values of the application's own decorators
 * always come from the caller's thread.
 *
 * @param answer the answer for the subscriber if another holder has the lock;
 * {@code null} if the subscriber gets the failure
 * @param callers captures the values that threads carry
 * @param contexts combines the values of threads and of Contexts
 */
record ReactiveResult(ReactiveAdapter adapter, @Nullable UnavailableAnswer answer, Supplier<CallerContext> callers,
		Supplier<SubscriberContext> contexts) implements LaterResult {

	@Override
	public Object run(LaterLocking locking, LockedCall call) {
		return declared((caller) -> subscribed(locking, call.again(), caller));
	}

	@Override
	@SuppressWarnings("try") // the resources are only closed
	public Object runUnlocked(LockedCall call) {
		return declared((caller) -> {
			try (Scope carried = caller.complete(); Scope begun = this.callers.get().begin()) {
				return begun(call.again());
			}
			catch (Throwable ex) {
				// Any exception of the method becomes the result
				return Flux.error(ex);
			}
		});
	}

	private Object declared(Function<Carried, Publisher<Object>> subscription) {
		Flux<Object> locked;
		try {
			Carried caller = this.callers.get().carry();
			locked = Flux.defer(() -> subscription.apply(caller));
		}
		catch (RuntimeException ex) {
			locked = Flux.error(ex);
		}
		// A single element is emitted only at the end, when we know that the lock was
		// held throughout
		Publisher<Object> result = (this.adapter.isMultiValue()) ? locked : locked.singleOrEmpty();
		return this.adapter.fromPublisher(result);
	}

	@SuppressWarnings({ "try", "NullAway" }) // only closed; answers may be null
	private Flux<Object> subscribed(LaterLocking locking, LockedCall call, Carried caller) {
		Flux<Object> locked = new LockedFlux((work) -> {
			try (Scope carried = caller.complete()) {
				return locking.execute(work);
			}
		}, () -> begun(call), this.contexts.get());
		UnavailableAnswer answer = this.answer;
		if (answer == null) {
			return locked;
		}
		try (Scope carried = caller.complete()) {
			Carried subscriber = this.callers.get().carry();
			return locked.onErrorResume(LockUnavailableException.class, (ex) -> (UnavailableAnswer.isTo(ex, call))
					? answered(subscriber, () -> answer.answer(call, ex)) : Flux.error(ex));
		}
	}

	private Publisher<Object> begun(LockedCall call) throws Throwable {
		Object result = call.proceed();
		if (result == null) {
			throw new IllegalStateException(
					call + " has returned null instead of a " + this.adapter.getReactiveType().getSimpleName());
		}
		return this.adapter.toPublisher(result);
	}

	// If the answer is a publisher, it also begins with the values of the subscriber's
	// thread
	private Publisher<Object> answered(Carried subscriber, Task<@Nullable Object> answer) {
		return (actual) -> {
			try {
				subscriber.call(() -> {
					answered(answer).subscribe(actual);
					return actual;
				});
			}
			catch (Throwable failure) {
				Flux.<Object>error(failure).subscribe(actual);
			}
		};
	}

	private Publisher<Object> answered(Task<@Nullable Object> answer) {
		try {
			Object answered = answer.call();
			if (answered == null) {
				return Flux.empty();
			}
			// For a suspending function a handler returns a plain value
			return (this.adapter.getReactiveType().isInstance(answered)) ? this.adapter.toPublisher(answered)
					: Flux.just(answered);
		}
		catch (Throwable failure) {
			// Any exception of the answer becomes the result
			return Flux.error(failure);
		}
	}

}
