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
 * Runs a method under a lock, so that only one instance of the application runs the
 * method at a time for the same key: <pre class="code">
 * &#64;DistributedLock(name = "order", key = "#order.id")
 * public Receipt pay(Order order) {
 *     return this.payments.charge(order);
 * }</pre>
 *
 * <h2>Which lock</h2> The key of the lock is {@code name:key}, for example
 * {@code order:42}. If only {@link #name} or only {@link #key} is set, that value is the
 * key. {@link #name} is a literal that groups settings and metrics. {@link #key} is an
 * expression on the arguments. If {@link #condition} is {@code false} for a call, the
 * call runs without the lock. With {@link #document}, the lock is inside a document of
 * the application. {@link #limit} and {@link #mode} let several callers hold the lock at
 * the same time.
 *
 * <h2>Several locks</h2> If you repeat the annotation, or if {@link #key} returns several
 * values, the method runs under all of these locks or not at all. The locks are acquired
 * in the order of their keys, so that two calls never wait for each other. The wait of
 * each lock counts from the beginning of the call. {@code LockContext.current()} is the
 * lock that was acquired last. {@link #onUnavailable} must be the same in all
 * annotations.
 *
 * <h2>How long</h2> The lock is a lease that lasts for one {@link #ttl}, and that is
 * renewed until the method has ended, unless {@link #autoRenew} is off. So the ttl says
 * how long others wait after a crash, not how long the work may take. {@link #minHold}
 * keeps the lock taken after a short method. Inside the method,
 * {@link io.mongolock.LockContext#current()} is the handle. Its
 * {@link io.mongolock.LockHandle#fence() fence} rises with each grant. If the lease
 * cannot be renewed in time, {@link #onLost} decides what happens to the method and its
 * caller.
 *
 * <h2>If the lock is not free</h2> The call waits for {@link #waitTimeout} at most.
 * Callers of all instances get the lock in the order in which they asked for it. After
 * the wait, the call fails with a {@link io.mongolock.LockUnavailableException}, unless
 * {@link #onUnavailable}, a {@link #fallback} or an {@link #unavailableHandler} gives
 * another answer. If the store cannot be asked, the call always fails with a
 * {@link io.mongolock.LockStoreException}.
 *
 * <h2>Results that end later</h2> If the method returns a {@code CompletionStage}, a
 * {@code Mono} or a {@code Flux}, the lock is held until the result has ended. No thread
 * waits for this.
 *
 * <h2>Where it may stand</h2> On a class or an interface, the annotation applies to all
 * public methods, including inherited methods. An annotation on the method overrides an
 * annotation on its class. If a class implements several annotated interfaces, each
 * annotation applies to the methods of its own interface. You can use the annotation as a
 * meta-annotation, and on a repository of Spring Data.
 * <p>
 * A call from within the same object does not go through the proxy, so it runs without
 * the lock. {@code SelfCalls} of {@code mongo-lock-test} finds such calls in a test.
 *
 * <h2>Order</h2> The lock is acquired before {@code @Transactional} begins a transaction,
 * and released after the transaction. {@code @Retryable} and method security come before
 * the lock. If the method is called inside a transaction, the lock is released after that
 * transaction.
 *
 * <h2>Settings</h2> {@link #ttl}, {@link #waitTimeout}, {@link #retryInterval},
 * {@link #minHold}, {@link #autoRenew} and {@link #limit} are texts, so that they can
 * contain placeholders ({@code ${…}}). By default, they are empty. Then the settings
 * {@code mongo-lock.locks.<name>.*} apply, and after them {@code mongo-lock.*}. Settings
 * that contradict each other, or that cannot work on a method, are refused at startup.
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
	 * The first part of the key, which groups settings and metrics. Placeholders are
	 * replaced, and the rest is taken literally.
	 * @return the name, for example {@code order}
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * The second part of the key: a SpEL expression on the arguments, which is evaluated
	 * once before the call. {@code #id} is the parameter of that name, and {@code #p0} or
	 * {@code #a0} is the first parameter. The expression can also use
	 * {@code #root.target}, {@code #root.method}, {@code #root.args} and {@code @bean}.
	 * The result must be a simple value. If the result is a collection, another
	 * {@link Iterable}, an array or a stream, each element is the key of a lock of its
	 * own.
	 * @return the expression, for example {@code #order.id}
	 */
	String key() default "";

	/**
	 * Whether a call needs the lock: a SpEL expression like {@link #key}, which is
	 * evaluated before the key. If the value is {@code false}, the method runs without
	 * this lock, and the key is not evaluated. A call fails if the value is neither
	 * {@code true} nor {@code false}. If the expression is empty, every call needs the
	 * lock.
	 * @return the expression, for example {@code #order.amount > 1000}
	 */
	String condition() default "";

	/**
	 * The type of a document that holds the lock. The {@link #key} is then the id of the
	 * document, and the method runs under the lock that {@code DocumentLockOperations}
	 * would take. {@link #name} only groups settings and metrics, and is the name of the
	 * collection by default. If the method has a parameter of the type
	 * {@code LockedDocument}, the parameter gets the locked document, whatever the caller
	 * passes. The lock is released after the method, unless the method has saved or
	 * released the document before. {@link #limit}, {@link #minHold} and
	 * {@link LockMode#SHARED} are refused.
	 * @return the type; by default, the lock is not inside a document
	 */
	Class<?> document() default void.class;

	/**
	 * How long the lease lasts without a renewal: {@code 30s}, {@code PT30S} or a
	 * placeholder. If empty, as configured.
	 * @return the duration
	 */
	String ttl() default "";

	/**
	 * How long to wait for a lock that another holder has: {@code 5s}, {@code PT5S} or a
	 * placeholder. With {@code 0s}, the call asks only once. If empty, as configured;
	 * with {@link OnUnavailable#SKIP}, as configured for the name of the lock, or else
	 * {@code 0s}.
	 * @return the duration
	 */
	String waitTimeout() default "";

	/**
	 * The longest time after which the first waiter asks again, if no change stream wakes
	 * it: {@code 100ms}, {@code PT0.1S} or a placeholder. For the second waiter, the time
	 * is twice as long, and so on. If empty, as configured.
	 * @return the duration
	 */
	String retryInterval() default "";

	/**
	 * How long the lock stays taken at least, counted from its grant, even if the method
	 * ends or fails earlier: {@code 30s}, {@code PT30S} or a placeholder. The time is at
	 * most half of the retention of the TTL index, and may be longer than the ttl. The
	 * caller does not wait for the end of this time.
	 * <p>
	 * If a scheduled method ends within a millisecond, another instance whose clock is
	 * behind could run it again. So set a time that is longer than the difference between
	 * the instances' clocks, and shorter than the time between two firings.
	 * <p>
	 * The rest of the time is not renewed, and outlives the application. If the
	 * application dies while the method runs, the lock is free one ttl after its last
	 * renewal. If empty, as configured for the name, or else none.
	 * @return the duration
	 */
	String minHold() default "";

	/**
	 * Whether the lease is renewed while the method runs: {@code true}, {@code false} or
	 * a placeholder. If empty, as configured.
	 * @return whether to renew
	 */
	String autoRenew() default "";

	/**
	 * How many callers may hold the lock at the same time, as with a semaphore: a whole
	 * number from 1 on, or a placeholder. Methods and requests with the same key should
	 * have the same limit. If their limits differ, the smallest limit counts. If empty,
	 * as configured for the name, or else 1.
	 * @return the limit
	 */
	String limit() default "";

	/**
	 * The mode of the lock. With {@link LockMode#EXCLUSIVE}, the method excludes all
	 * other callers with the same key, like a write lock. With {@link LockMode#SHARED},
	 * it excludes only callers that are not shared themselves, like a read lock.
	 * {@link LockMode#SHARED} must not have a {@link #limit}.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * What happens if another holder still has the lock at the end of the wait, unless a
	 * {@link #fallback} or an {@link #unavailableHandler} answers.
	 * @return the policy
	 */
	OnUnavailable onUnavailable() default OnUnavailable.FAIL;

	/**
	 * The method that answers if another holder still has the lock at the end of the
	 * wait. It is a method of the same class, of a superclass or of an implemented
	 * interface, and may be private. It has the same parameters and an assignable result.
	 * It can have one more parameter at the end, which takes the
	 * {@link io.mongolock.LockUnavailableException}. If the locked method is static,
	 * which only weaving can lock, the fallback must be static, too.
	 * <p>
	 * The fallback runs without the lock, on the object itself and not through its proxy.
	 * An exception of the fallback reaches the caller. Cannot be combined with
	 * {@link OnUnavailable#SKIP} or an {@link #unavailableHandler}.
	 * @return the name of the method; empty for none
	 */
	String fallback() default "";

	/**
	 * The bean that answers if another holder still has the lock at the end of the wait.
	 * Cannot be combined with {@link OnUnavailable#SKIP} or a {@link #fallback}. If the
	 * method has none of these answers, the bean of
	 * {@code mongo-lock.unavailable-handler} answers. Without such a bean,
	 * {@link #onUnavailable} applies.
	 * @return the name of a {@link io.mongolock.LockUnavailableHandler} bean
	 */
	String unavailableHandler() default "";

	/**
	 * What happens if the lock is lost while the method runs.
	 * @return the policy
	 */
	OnLost onLost() default OnLost.FAIL;

	/**
	 * Several locks on one element, which the compiler puts into this annotation.
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
