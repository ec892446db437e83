package io.mongolock.aspectj;

import io.mongolock.annotation.DistributedLock;

/**
 * Marks what carries the annotation, itself or by an annotation of its own, and the public
 * methods of types that do. Proxies, whose names have {@code $$} in them, are no such types.
 */
aspect WovenMethods {

	declare @method : @(DistributedLock || DistributedLock.List) * (!*..*$$*).*(..) : @Woven;

	declare @method : @(@(DistributedLock || DistributedLock.List) *) * (!*..*$$*).*(..) : @Woven;

	declare @method : !@(DistributedLock || DistributedLock.List) !@(@(DistributedLock || DistributedLock.List) *)
			public !static * (@(DistributedLock || DistributedLock.List || @(DistributedLock || DistributedLock.List) *)
					!*..*$$*).*(..) : @Woven;

}
