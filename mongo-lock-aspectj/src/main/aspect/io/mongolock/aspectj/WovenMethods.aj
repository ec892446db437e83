package io.mongolock.aspectj;

import io.mongolock.annotation.DistributedLock;

/**
 * Marks what carries the annotation, itself or by an annotation of its own, or by one of that,
 * and the public methods of types that do.
 * <ul>
 * <li>Proxies, whose names have {@code $$} in them, are no such types.</li>
 * <li>Into abstract methods nothing can be woven.</li>
 * <li>Suspending functions of Kotlin, which take a {@code Continuation}, are left to proxies:
 * Spring calls those as what they are. A pattern, because the type need not be there.</li>
 * </ul>
 */
aspect WovenMethods {

	declare @method : (@(DistributedLock || DistributedLock.List) !abstract * (!*..*$$*).*(..))
			&& !(* *(.., kotlin.coroutines.Continuation*)) : @Woven;

	declare @method : (@(@(DistributedLock || DistributedLock.List) *) !abstract * (!*..*$$*).*(..))
			&& !(* *(.., kotlin.coroutines.Continuation*)) : @Woven;

	declare @method : (@(@(@(DistributedLock || DistributedLock.List) *) *) !abstract * (!*..*$$*).*(..))
			&& !(* *(.., kotlin.coroutines.Continuation*)) : @Woven;

	declare @method : (!@(DistributedLock || DistributedLock.List) !@(@(DistributedLock || DistributedLock.List) *)
			!@(@(@(DistributedLock || DistributedLock.List) *) *)
			public !static !abstract * (@(DistributedLock || DistributedLock.List
					|| @(DistributedLock || DistributedLock.List) *
					|| @(@(DistributedLock || DistributedLock.List) *) *)
					!*..*$$*).*(..)) && !(* *(.., kotlin.coroutines.Continuation*)) : @Woven;

}
