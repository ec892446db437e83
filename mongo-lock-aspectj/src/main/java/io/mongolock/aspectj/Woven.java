package io.mongolock.aspectj;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that the aspect runs under its lock. The weaver adds this annotation.
 * The verification at startup recognizes it by its name, and accepts such methods without
 * a proxy.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Woven {

}
