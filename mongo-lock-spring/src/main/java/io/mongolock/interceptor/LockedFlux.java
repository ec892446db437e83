package io.mongolock.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.event.LockInstrumentation.Scope;

/**
 * A publisher. Each of its subscriptions claims the lock, works under it, and ends after
 * its release. Elements and demand pass through unchanged.
 */
final class LockedFlux extends Flux<Object> {

	private final LaterLocking locking;

	private final Work work;

	private final SubscriberContext contexts;

	LockedFlux(LaterLocking locking, Work work, SubscriberContext contexts) {
		this.locking = locking;
		this.work = work;
		this.contexts = contexts;
	}

	@Override
	public void subscribe(CoreSubscriber<? super Object> actual) {
		Locked locked = new Locked(actual, this.contexts);
		actual.onSubscribe(locked);
		locked.claim(this.locking, this.work);
	}

	/**
	 * Adds the locks of a subscription to its Context. The innermost lock is stored under
	 * the class of handles, for users. All locks are stored for inner subscriptions,
	 * which share them.
	 */
	private static Context add(Context context, List<LockHandle> held) {
		List<LockHandle> all = new ArrayList<>(allIn(context));
		all.addAll(held);
		return context.put(LockHandle.class, held.get(held.size() - 1)).put(LockedFlux.class, List.copyOf(all));
	}

	// Outermost first
	private static List<LockHandle> allIn(ContextView context) {
		return context.<List<LockHandle>>getOrEmpty(LockedFlux.class).orElse(List.of());
	}

	private static LockContext.Scope enter(List<LockHandle> outermostFirst) {
		List<LockContext.Scope> innermostFirst = new ArrayList<>();
		outermostFirst.forEach((handle) -> innermostFirst.add(0, LockContext.enter(handle)));
		return () -> innermostFirst.forEach(LockContext.Scope::close);
	}

	/** Begins under the lock, once for each subscription. */
	@FunctionalInterface
	interface Work {

		Publisher<?> begin() throws Throwable;

	}

	/**
	 * The end of the work, for which the lock waits. Cancelling this, as a loss of the
	 * lock does, cancels the work first.
	 */
	private static final class End extends CompletableFuture<@Nullable Object> {

		private final CompletableFuture<@Nullable Object> interruption = new CompletableFuture<>();

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			this.interruption.complete(null);
			// Has an effect only if the work has thrown an exception instead of ending
			return super.cancel(mayInterruptIfRunning);
		}

	}

	/**
	 * One subscription. The upstream subscription may be cancelled, and elements
	 * requested, before it exists.
	 */
	private static final class Locked extends Operators.DeferredSubscription implements CoreSubscriber<Object> {

		private final CoreSubscriber<? super Object> actual;

		private final SubscriberContext contexts;

		private final End end = new End();

		private volatile @Nullable CompletableFuture<?> locked;

		private Context context;

		private Locked(CoreSubscriber<? super Object> actual, SubscriberContext contexts) {
			this.actual = actual;
			this.contexts = contexts;
			this.context = actual.currentContext();
		}

		@SuppressWarnings("try") // the resources are only closed
		private void claim(LaterLocking locking, Work work) {
			if (isCancelled()) {
				return;
			}
			CompletableFuture<@Nullable Object> locked;
			try (Scope claiming = this.contexts.claiming(this.context);
					LockContext.Scope shared = enter(allIn(this.context))) {
				locked = locking.execute((held) -> begin(held, work));
			}
			catch (RuntimeException | Error ex) {
				locked = CompletableFuture.failedFuture(ex);
			}
			this.locked = locked;
			if (isCancelled()) {
				locked.cancel(false);
			}
			LaterLocking.whenEnded(locked, (none, failure) -> released(failure));
		}

		private CompletionStage<@Nullable Object> begin(List<LockHandle> held, Work work) throws Throwable {
			if (!isCancelled()) {
				this.context = this.contexts.working(add(this.context, held));
				Flux.<Object>from(work.begin())
					.takeUntilOther(Mono.fromFuture(this.end.interruption, true))
					.subscribe(this);
			}
			return this.end;
		}

		private void released(@Nullable Throwable failure) {
			if (isCancelled()) {
				return;
			}
			if (failure == null) {
				this.actual.onComplete();
			}
			else {
				this.actual.onError((failure instanceof CompletionException && failure.getCause() != null)
						? failure.getCause() : failure);
			}
		}

		@Override
		public Context currentContext() {
			return this.context;
		}

		@Override
		public void onSubscribe(Subscription subscription) {
			set(subscription);
		}

		@Override
		public void onNext(Object element) {
			this.actual.onNext(element);
		}

		@Override
		public void onError(Throwable failure) {
			this.end.completeExceptionally(failure);
		}

		@Override
		public void onComplete() {
			this.end.complete(null);
		}

		/**
		 * Cancels the work first, so that it has been asked to stop before another holder
		 * begins. An exception of that cancellation does not keep the lock.
		 */
		@Override
		public void cancel() {
			try {
				super.cancel();
			}
			finally {
				CompletableFuture<?> locked = this.locked;
				if (locked != null) {
					locked.cancel(false);
				}
				this.end.complete(null);
			}
		}

	}

}
