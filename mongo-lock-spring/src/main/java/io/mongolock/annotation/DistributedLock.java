package io.mongolock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

import io.mongolock.LockMode;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;

/**
 * Only one instance of the application runs the method at a time for the same key:
 * <pre class="code">
 * &#64;DistributedLock(name = "order", key = "#order.id")
 * public Receipt pay(Order order) {
 *     return this.payments.charge(order);
 * }</pre>
 *
 * <h2>Which lock</h2> The key of the lock is {@code name:key}, or whichever of the two is
 * given: {@code order:42} above. {@link #name} is a literal and groups settings and
 * metrics, {@link #key} is an expression on the arguments. A call that makes
 * {@link #condition} false runs without the lock. With {@link #document} the lock is
 * inside a document of the application. {@link #limit} and {@link #mode} let several hold
 * it together.
 *
 * <h2>Several locks</h2> Repeated on one element, or with a {@link #key} of several, the
 * method runs under all of these locks or not at all. They are acquired in the order of
 * their keys, so that two calls never wait for each other, each within its own wait from
 * the beginning of the call, and released in reverse; {@code LockContext.current()} is
 * the last of them. {@link #onUnavailable} must be the same in all of them.
 *
 * <h2>How long</h2> The lock is a lease of one {@link #ttl}, renewed until the method has
 * ended unless {@link #autoRenew} is off: the ttl says how long others wait after a
 * crash, not how long the work may take. {@link #minHold} keeps it taken after a short
 * method. {@link io.mongolock.LockContext#current()} is the handle inside the method; its
 * {@link io.mongolock.LockHandle#fence() fence} rises with each grant. If the lease
 * cannot be renewed in time, {@link #onLost} says what the method and its caller hear.
 *
 * <h2>If it is not free</h2> The call waits for {@link #waitTimeout} at most, first come
 * first served among all instances. Then it fails with
 * {@link io.mongolock.LockUnavailableException}, or is answered by
 * {@link #onUnavailable}, a {@link #fallback} or an {@link #unavailableHandler}. If the
 * store cannot be asked, it fails with {@link io.mongolock.LockStoreException} in any
 * case.
 *
 * <h2>Results that end later</h2> If the method returns a {@code CompletionStage},
 * {@code Mono} or {@code Flux}, the lock is held until the result has ended, and no
 * thread waits for it.
 *
 * <h2>Where it may stand</h2> On a class or an interface it applies to every public
 * method, inherited ones included; a method's own annotation wins, then the one of its
 * class. Each of several annotated interfaces means the methods it has. May be used as a
 * meta-annotation, and on a repository of Spring Data.
 * <p>
 * A call from within the same object does not pass the proxy and runs without the lock.
 * {@code SelfCalls} of {@code mongo-lock-test} finds such calls in a test.
 *
 * <h2>Order</h2> The lock stands outside of {@code @Transactional} and inside of
 * {@code @Retryable} and method security. Taken inside a transaction that runs already,
 * it is released after the end of that.
 *
 * <h2>Settings</h2> {@link #ttl}, {@link #waitTimeout}, {@link #retryInterval},
 * {@link #minHold}, {@link #autoRenew} and {@link #limit} are texts, so that all of them
 * may hold a placeholder ({@code ${…}}) and all say <em>as configured</em> in the same
 * way: empty, as they are by default, they leave it to {@code mongo-lock.locks.<name>.*}
 * and then to {@code mongo-lock.*}. What contradicts itself, or cannot work on a method,
 * is refused at startup with the method and the way out.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Reflective
@Repeatable(DistributedLock.List.class)
public @interface DistributedLock {

	/**
	 * Alias for {@link #name}.
	 * @return the name
	 */
	@AliasFor("name")
	String value() default "";

	/**
	 * First part of the key, taken literally after placeholders are replaced. Groups
	 * settings and metrics.
	 * @return the name, for example {@code order}
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * Second part of the key: a SpEL expression on the arguments, evaluated once before
	 * the call. {@code #id} is the parameter of that name, {@code #p0} or {@code #a0} the
	 * first one; {@code #root.target}, {@code #root.method}, {@code #root.args} and
	 * {@code @bean} are known as well. The result must be a simple value, or several: of
	 * a collection, another {@link Iterable}, an array or a stream each element is a lock
	 * of its own, as if it were declared alone.
	 * @return the expression, for example {@code #order.id}
	 */
	String key() default "";

	/**
	 * Whether a call needs the lock: a SpEL expression as {@link #key}, evaluated before
	 * that. Where it is {@code false} the method runs without this lock, and the key is
	 * not evaluated. Any value but {@code true} or {@code false} fails the call. Empty:
	 * every call needs it.
	 * @return the expression, for example {@code #order.amount > 1000}
	 */
	String condition() default "";

	/**
	 * A type of documents: the method then runs under the lock of the one whose id is the
	 * {@link #key}, as {@code DocumentLockOperations} has it, so that its key is the
	 * document's. {@link #name} only groups settings and metrics; without one that is the
	 * name of the collection. A parameter of type {@code LockedDocument} is filled in,
	 * whatever the caller passes. Saved or released by the method, the lock has ended;
	 * else it is released after the method. {@link #limit}, {@link #minHold} and
	 * {@link LockMode#SHARED} are refused.
	 * @return the type, by default none: the lock is beside the documents
	 */
	Class<?> document() default void.class;

	/**
	 * How long the lease lasts without renewal: {@code 30s}, {@code PT30S} or a
	 * placeholder. Empty: as configured.
	 * @return the duration
	 */
	String ttl() default "";

	/**
	 * How long to wait for a lock that another holds: {@code 5s}, {@code PT5S} or a
	 * placeholder; {@code 0s} asks once. Empty: as configured; with
	 * {@link OnUnavailable#SKIP} as configured for the name, else {@code 0s}.
	 * @return the duration
	 */
	String waitTimeout() default "";

	/**
	 * The longest time until the first waiter looks again where no change stream wakes
	 * it, and n times that for the n-th: {@code 100ms}, {@code PT0.1S} or a placeholder.
	 * Empty: as configured.
	 * @return the duration
	 */
	String retryInterval() default "";

	/**
	 * How long the lock stays taken at least, from its grant on, however soon the method
	 * ends or fails: {@code 30s}, {@code PT30S} or a placeholder; at most half of the
	 * retention of the TTL index, and it may be longer than the ttl. For a scheduled
	 * method, more than the clocks of the instances differ and less than the time between
	 * two firings: a method that is done in a millisecond then runs on one instance only.
	 * The caller does not wait for it: what is left when the method ends is left to the
	 * lease in the database, is not renewed, and outlives the application. If the
	 * application dies while the method runs, the lock is free one ttl after its last
	 * renewal, as ever. Empty: as configured for the name, else none.
	 * @return the duration
	 */
	String minHold() default "";

	/**
	 * Whether the lease is renewed while the method runs: {@code true}, {@code false} or
	 * a placeholder. Empty: as configured.
	 * @return whether to renew
	 */
	String autoRenew() default "";

	/**
	 * How many may hold the lock together, a semaphore: a whole number from 1 on, or a
	 * placeholder. Methods and requests with the same key should have the same limit; the
	 * smallest counts. Empty: as configured for the name, else 1.
	 * @return the limit
	 */
	String limit() default "";

	/**
	 * Whether the method excludes all others with the same key, or only those that are
	 * not {@link LockMode#SHARED} themselves: the writing and the reading side of a
	 * read/write lock. {@link LockMode#SHARED} has no {@link #limit}.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * What happens if the lock is still held by another at the end of the wait, unless a
	 * {@link #fallback} or an {@link #unavailableHandler} answers.
	 * @return the policy
	 */
	OnUnavailable onUnavailable() default OnUnavailable.FAIL;

	/**
	 * A method of the same class, a superclass or an implemented interface that answers
	 * if the lock is still held by another at the end of the wait: of the same parameters
	 * and a result that is assignable, and with one parameter more, the last, if it wants
	 * the {@link io.mongolock.LockUnavailableException}. It may be private or static, and
	 * is static if the method itself is, which only weaving locks. It runs without the
	 * lock, and on the object itself, so past its proxy. What it throws reaches the
	 * caller. Not with {@link OnUnavailable#SKIP} or an {@link #unavailableHandler}.
	 * @return the name of the method; empty for none
	 */
	String fallback() default "";

	/**
	 * A bean that answers if the lock is still held by another at the end of the wait.
	 * Not with {@link OnUnavailable#SKIP} or a {@link #fallback}. Empty: as
	 * {@code mongo-lock.unavailable-handler} says for all methods with none of the three,
	 * else {@link #onUnavailable}.
	 * @return the name of a {@link io.mongolock.LockUnavailableHandler} bean
	 */
	String unavailableHandler() default "";

	/**
	 * What happens if the lock is lost while the method runs.
	 * @return the policy
	 */
	OnLost onLost() default OnLost.FAIL;

	/**
	 * Several locks on one element, as the compiler puts them together.
	 */
	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@Inherited
	@Reflective
	@interface List {

		/**
		 * The locks.
		 * @return the locks, at least one
		 */
		DistributedLock[] value();

	}

}
