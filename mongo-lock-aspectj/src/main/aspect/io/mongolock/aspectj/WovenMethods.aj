package io.mongolock.aspectj;

import io.mongolock.annotation.DistributedLock;

/**
 * Marks methods that have the annotation, and the public methods of types that have it. It may
 * also be a meta-annotation, up to two levels away.
 * <ul>
 * <li>Proxies, whose names contain {@code $$}, do not count as such types.</li>
 * <li>Abstract methods are left out, because nothing can be woven into them.</li>
 * <li>Suspending functions of Kotlin, which take a {@code Continuation}, are left to proxies,
 * because Spring calls them as suspending functions. The type is matched by a pattern, because
 * it need not be present.</li>
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
