package io.mongolock.sample.orders;

import org.jspecify.annotations.Nullable;

/**
 * What a customer gets for a payment.
 *
 * @param order the order
 * @param amount what was paid, in cents
 * @param balance what is still to be paid, in cents
 * @param instance which instance took the payment
 * @param fence the number of the lock it was taken under, if under one
 */
public record Receipt(String order, long amount, long balance, String instance, @Nullable Long fence) {

}
