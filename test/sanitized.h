/* sanitized.h - a mark of tests under a memory checker, whose own tables are so large that no limit
 * on memory can be set.
 */
#ifndef MESHCAST_TEST_SANITIZED_H
#define MESHCAST_TEST_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

#endif
